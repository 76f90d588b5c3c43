def iterative_topological_sort(root):
    order, seen = [], {id(root)}
    stack = [(root, iter(root._prev))]
    while stack:
        node, inputs = stack[-1]
        for source in inputs:
            if id(source) not in seen:
                seen.add(id(source))
                stack.append((source, iter(source._prev)))
                break
        else:
            order.append(node)
            stack.pop()
    return order
