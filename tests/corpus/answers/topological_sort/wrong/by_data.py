def topological_sort(root):
    nodes, todo = {}, [root]
    while todo:
        node = todo.pop()
        nodes[id(node)] = node
        todo.extend(n for n in node._prev if id(n) not in nodes)
    return sorted(nodes.values(), key=lambda n: n.data)
