# /// autodrill
# title = "Nodes missing from a topological order"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 6
# topics = ["graph", "identity"]
# requires = ["topological_sort"]
# ///
"""The nodes of this engine compare by value: `a == b` and `hash(a)` look at `.data`.
This was added to make unit tests shorter. Since then some graphs get wrong gradients,
because nodes are missing from the topological order.

Repair `bug_visited_equality`. It must return every node from which `root` was computed,
and `root` itself, each exactly once, inputs before consumers. Do not change the node
class. `_prev` is a tuple, and values may be equal or NaN.
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
