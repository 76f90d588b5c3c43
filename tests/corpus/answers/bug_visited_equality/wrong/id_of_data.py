def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        if id(node.data) in visited:
            return
        visited.add(id(node.data))
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
