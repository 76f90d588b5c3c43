# /// autodrill
# title = "The loss curve that eats the memory"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 5
# topics = ["training loop", "graph", "memory"]
# requires = ["bug_zero_grad"]
# ///
"""A training loop hands each iteration's loss to the function below, which returns
their sum for a log. A loss is a node of an autodiff graph and refers to the nodes it
was computed from. `a + b` of two nodes, or of a node and a number, is a node again;
`.item()` gives a node's value as a float, `.detach()` a node of that value without
history. Since the function was added, memory grows with every iteration until the
process is killed.

Repair `bug_history_leak`. `losses` is an iterator, which computes a loss when it is
asked for the next; there is at least one. Return the sum as a float. When a loss is
asked for, the graphs of all but the last one must be gone.
"""


def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss
    return total.item()
