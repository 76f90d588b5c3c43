# /// autodrill
# title = "The reverse pass of an engine"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["engine", "graph"]
# requires = ["topological_sort", "mul_backward"]
# ///
"""A scalar autodiff graph is already built. Every node has `.data`, `.grad` (a float,
0.0 at first), a tuple `_prev` of the nodes it was computed from, and a closure
`_backward()`. The closure reads the node's own `.grad` and adds the node's contribution
to the `.grad` of the node's inputs. The closure of a leaf does nothing.

Fill in the `.grad` of `root` and of every node from which `root` was computed. The
`.grad` of each node must be d root / d node. Return nothing. Your function may then run
on a second graph that shares leaves with the first. The gradients of these leaves must
add up over both runs.
"""


def backward_engine(root):
    raise NotImplementedError
