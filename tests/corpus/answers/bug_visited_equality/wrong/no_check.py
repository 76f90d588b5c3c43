def bug_visited_equality(root):
    order = []

    def visit(node):
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
