class ByIdentity:
    def __init__(self, node):
        self.node = node

    def __eq__(self, other):
        return self.node is other.node

    def __hash__(self):
        return id(self.node)


def bug_visited_equality(root):
    visited: dict[ByIdentity, None] = {}

    def visit(node):
        for source in node._prev:
            if ByIdentity(source) not in visited:
                visit(source)
        visited[ByIdentity(node)] = None

    visit(root)
    return [key.node for key in visited]
