# /// autodrill
# title = "Topological order of a graph"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["graph", "engine"]
# ///
"""Every node has a tuple `_prev` of the nodes it was computed from; one node may appear
in it twice (`x * x`). Return a list of `root` and all nodes from which it was computed,
each exactly once, such that every node comes *after* all of its inputs: leaves first,
root last.

Walked backwards, that list is an order in which reverse mode may process nodes. A graph
may be a diamond of diamonds, so the work must grow with the number of edges, not with
the number of paths. Two different nodes may hold equal values. Do not change the nodes.
"""


def topological_sort(root):
    raise NotImplementedError
