def bug_visited_equality(root):
    order, visited = [], set()

    def visit(node):
        key = (node.data, len(node._prev))
        if key in visited:
            return
        visited.add(key)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
