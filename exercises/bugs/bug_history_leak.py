# /// autodrill
# title = "A training log that leaks memory"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 5
# topics = ["optim", "memory", "graph"]
# requires = ["bug_zero_grad"]
# ///
"""A training loop passes its losses to the function below, which returns their sum for
a log. A loss is a node of an autodiff graph and refers to the nodes it was computed
from. The sum of two nodes, or of a node and a number, is a node too. `.item()` returns
a node's value as a float. `.detach()` returns a node with the same value and no
history. A sum of nodes without history has no history either. Since the function was
added, memory grows with every iteration until the process is killed.

Repair `bug_history_leak`. `losses` is an iterator that computes each loss when it is
requested. There is at least one loss. Return the sum as a float. When a loss is
requested, only the graph of the previous loss may still be alive, and no other node.
"""


def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss
    return total.item()
