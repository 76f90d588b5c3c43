def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        if id(node) in visited:
            return
        visited.add(id(node))
        order.append(node)
        for source in node._prev:
            visit(source)

    visit(root)
    return order
