from graphlib import TopologicalSorter


def iterative_topological_sort(root):
    nodes, inputs, to_do = {id(root): root}, {}, [root]
    while to_do:
        node = to_do.pop()
        sources = node._prev
        inputs[id(node)] = {id(source) for source in sources}
        for source in sources:
            if id(source) not in nodes:
                nodes[id(source)] = source
                to_do.append(source)
    return [nodes[key] for key in TopologicalSorter(inputs).static_order()]
