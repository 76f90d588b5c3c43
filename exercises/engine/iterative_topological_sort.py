# /// autodrill
# title = "Topological order without recursion"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["engine", "graph"]
# requires = ["topological_sort"]
# ///
"""As in `topological_sort`, every node has a tuple `_prev` of the nodes it was computed
from. One node may appear twice in `_prev`. Return a list of `root` and all nodes from
which `root` was computed. Each node occurs exactly once, and *after* all of its inputs.

A recurrent network that runs for 50,000 steps makes a chain of 50,000 nodes. Python
stops a recursion at 1,000 calls, so keep a stack of your own. The work must still grow
with the number of edges, not with the number of paths. Two different nodes may hold
equal values. Do not change the nodes.
"""


def iterative_topological_sort(root):
    raise NotImplementedError
