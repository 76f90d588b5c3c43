def bug_visited_equality(root):
    order, token = [], object()

    def visit(node):
        if getattr(node, "_mark", None) is token:
            return
        node._mark = token
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    for node in order:
        del node._mark
    return order
