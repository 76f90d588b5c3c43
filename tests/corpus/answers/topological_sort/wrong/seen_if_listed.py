def topological_sort(root):
    order = []

    def visit(node):
        if node in order:
            return
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
