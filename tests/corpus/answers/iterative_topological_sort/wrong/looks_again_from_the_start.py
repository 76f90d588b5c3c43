def iterative_topological_sort(root):
    order, done, stack = [], set(), [root]
    while stack:
        node = stack[-1]
        if id(node) in done:
            stack.pop()
            continue
        for source in node._prev:
            if id(source) not in done:
                stack.append(source)
                break
        else:
            done.add(id(node))
            order.append(node)
            stack.pop()
    return order
