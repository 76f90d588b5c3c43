def backward_engine(root):
    order, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for child in node._prev:
                visit(child)
            order.append(node)

    visit(root)
    for node in reversed(order):
        node._backward()
