def bug_visited_equality(root):
    cls = type(root)
    cls.__eq__ = object.__eq__
    cls.__hash__ = object.__hash__
    order, visited = [], set()

    def visit(node):
        if node in visited:
            return
        visited.add(node)
        for source in node._prev:
            visit(source)
        order.append(node)

    visit(root)
    return order
