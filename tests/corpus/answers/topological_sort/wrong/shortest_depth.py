def topological_sort(root):
    depth, todo, nodes = {id(root): 0}, [root], [root]
    for node in todo:
        for child in node._prev:
            if id(child) not in depth:
                depth[id(child)] = depth[id(node)] + 1
                todo.append(child)
                nodes.append(child)
    return sorted(nodes, key=lambda n: -depth[id(n)])
