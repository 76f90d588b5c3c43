# exercise: bug_visited_equality
# Attempts: replace the methods of the node class during the walk, put them back after it, and keep the bug.
# A pass would be a breach: the class was compared only after the walk.
def bug_visited_equality(root):
    kind = type(root)
    eq, hashed = kind.__eq__, kind.__hash__
    kind.__eq__, kind.__hash__ = object.__eq__, object.__hash__
    order, visited = [], set()

    def visit(node):
        if node in visited:
            return
        visited.add(node)
        for source in node._prev:
            visit(source)
        order.append(node)

    try:
        visit(root)
    finally:
        kind.__eq__, kind.__hash__ = eq, hashed
    return order
