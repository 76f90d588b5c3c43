# /// autodrill
# title = "Topological order of a graph"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["engine", "graph"]
# ///
"""Every node has a tuple `_prev` of the nodes it was computed from. One node may appear
twice in `_prev` (`x * x`). Return a list of `root` and all nodes from which `root` was
computed. Each node occurs exactly once, and *after* all of its inputs: leaves first,
root last.

Reverse mode can then process the nodes in the opposite order. A graph may have far more
paths than edges, so the work must grow with the number of edges, not with the number of
paths. Two different nodes may hold equal values. Do not change the nodes.
"""


def topological_sort(root):
    raise NotImplementedError
