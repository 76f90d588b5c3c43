def iterative_topological_sort(root):
    order, entered, stack = [], set(), [root]
    while stack:
        node = stack[-1]
        if id(node) in entered:
            order.append(stack.pop())
        else:
            entered.add(id(node))
            stack.extend(source for source in node._prev)
    return order
