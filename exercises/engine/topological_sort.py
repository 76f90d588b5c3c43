# /// autodrill
# title = "Topological order of a graph"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["graph", "engine"]
# ///
"""Every node has a tuple `_prev` of the nodes it was computed from; one node may stand
in it twice (`x * x`). Return a list of all nodes from which `root` was computed, and
`root` itself, each exactly once, such that every node stands *after* all of its inputs:
leaves first, root last.

Walked backwards, that list is the order in which reverse mode may process nodes. Graphs
may be diamonds of diamonds: the work must grow with the number of edges, not with the
number of paths. Two different nodes may hold equal values. Leave the nodes as they are.
"""


def topological_sort(root):
    raise NotImplementedError
