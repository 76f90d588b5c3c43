def backward_engine(root):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for child in node._prev:
                visit(child)
            order.append(node)

    visit(root)
    root.grad = 1.0
    for node in reversed(order[:-1]):
        node._backward()
