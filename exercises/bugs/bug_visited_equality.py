# /// autodrill
# title = "The graph that loses a node"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 6
# topics = ["graph", "identity"]
# requires = ["topological_sort"]
# ///
"""The nodes of this engine compare by value: `a == b` and `hash(a)` look at `.data`,
because somebody wanted nice unit tests. Since then gradients of some graphs are wrong:
nodes vanish from the topological order.

Repair `bug_visited_equality`. It must return every node from which `root` was computed,
and `root`, each once, inputs before consumers. The node class stays as it is; `_prev`
is a tuple, and values may be equal or NaN.
"""


def bug_visited_equality(root):
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
