def iterative_topological_sort(root):
    order, visited, stack = [], set(), [(root, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            order.append(node)
        elif node.data not in visited:
            visited.add(node.data)
            stack.append((node, True))
            stack.extend((source, False) for source in node._prev)
    return order
