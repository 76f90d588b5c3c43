# /// autodrill
# title = "The reverse pass of an engine"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["engine", "graph", "accumulation"]
# requires = ["topological_sort", "mul_backward"]
# ///
"""A scalar autodiff graph is built already. Every node has `.data`, `.grad` (a float,
0.0 at first), a tuple `_prev` of the nodes it was computed from, and `_backward()`, a
closure that adds the node's contribution to the `.grad` of its inputs, reading its own
`.grad`; a leaf's does nothing.

Fill in `.grad` of every node from which `root` was computed, so that each holds d root
/ d node. Return nothing. When a second graph that shares leaves with the first is run,
the leaves' gradients must add.
"""


def backward_engine(root):
    raise NotImplementedError
