from graphlib import TopologicalSorter


def topological_sort(root):
    nodes, todo = {}, [root]
    while todo:
        node = todo.pop()
        if id(node) not in nodes:
            nodes[id(node)] = node
            todo += node._prev
    sorter = TopologicalSorter({key: [id(n) for n in node._prev] for key, node in nodes.items()})
    return [nodes[key] for key in sorter.static_order()]
