def bug_visited_equality(root):
    order = []

    def visit(node):
        if getattr(node, "visited", False):
            return
        node.visited = True
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
