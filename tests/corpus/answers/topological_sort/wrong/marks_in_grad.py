def topological_sort(root):
    order = []

    def visit(node):
        if node.grad is None:
            return
        node.grad = None
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
