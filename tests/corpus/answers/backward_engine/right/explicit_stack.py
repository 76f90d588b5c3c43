def backward_engine(root):
    order, seen, stack = [], set(), [(root, iter(root._prev))]
    seen.add(id(root))
    while stack:
        node, rest = stack[-1]
        for child in rest:
            if id(child) not in seen:
                seen.add(id(child))
                stack.append((child, iter(child._prev)))
                break
        else:
            order.append(node)
            stack.pop()
    root.grad = 1.0
    while order:
        order.pop()._backward()
