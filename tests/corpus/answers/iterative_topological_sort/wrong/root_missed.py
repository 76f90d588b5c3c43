def iterative_topological_sort(root):
    order, visited, stack = [], {id(root)}, [(source, False) for source in root._prev]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif id(node) not in visited:
            visited.add(id(node))
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order
