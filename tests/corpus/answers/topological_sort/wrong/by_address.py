def topological_sort(root):
    nodes, todo = {}, [root]
    while todo:
        node = todo.pop()
        if id(node) not in nodes:
            nodes[id(node)] = node
            todo.extend(node._prev)
    return [nodes[key] for key in sorted(nodes)]
