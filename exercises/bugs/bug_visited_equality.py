# /// autodrill
# title = "Nodes missing from a topological order"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 6
# topics = ["engine", "graph"]
# requires = ["topological_sort"]
# ///
"""The nodes of this engine compare by value: `a == b` and `hash(a)` look at `.data`.
This comparison was added to make unit tests shorter. Since then some graphs get wrong
gradients, because nodes are missing from the topological order.

Repair `bug_visited_equality`. It must return a list of `root` and every node from which
`root` was computed. Each node occurs exactly once, and inputs come before their
consumers. Do not change the node class. `_prev` is a tuple. Values of different nodes
may be equal, and a value may be NaN.
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
