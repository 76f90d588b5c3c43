"""`total + loss` is an operation of the graph, so total becomes a node that refers to the loss, which refers to
everything it was computed from: activations, inputs, all of it. After a thousand iterations total holds a thousand
graphs, and none may be freed, since somebody could still call `total.backward()`.

A log wants numbers. `.item()` copies the value out and lets go of the node; the graph of an iteration dies when the
loop's variable is given the next loss. Collecting the losses in a list and adding up later holds them just as long:
convert at once.

In PyTorch: `total += loss.item()`, or `loss.detach()` where a synchronisation with the GPU at every step would cost too
much. Anything kept from one iteration to the next asks the same question: metrics, the hidden state of a recurrent
network, the moving average of a target.
"""

import math

from autodrill.drills import mistake, scenario

HINTS = (
    "What type has `total` after the first iteration? What does it refer to after the second?",
    "Add numbers, not nodes: take the value out of each loss as soon as it comes.",
    "One call more in the line that adds, and one call less in the line that returns.",
)

AT_ONCE = 8
"""Nodes that may be alive when a loss is asked for: the last loss with the three it came from, and a sum or two."""


@scenario(1, 2, 3, 5, 50, note="random losses")
def random_losses(rng, size):
    return {"values": [float(v) for v in rng.integers(1, 10, size)]}


CASES = [random_losses]


def drive(candidate, values):
    alive = most = 0

    class Node:
        def __init__(self, data, prev=(), tracked=True):
            nonlocal alive
            self.data, self.tracked = data, tracked
            self._prev = prev if tracked else ()  # as in PyTorch, what comes from detached nodes alone has no history
            alive += 1

        def __del__(self):
            nonlocal alive
            alive -= 1

        def __add__(self, other):
            if isinstance(other, Node):
                return Node(self.data + other.data, (self, other), self.tracked or other.tracked)
            return Node(self.data + other, (self,), self.tracked)

        __radd__ = __add__

        def item(self):
            return self.data

        def detach(self):
            return Node(self.data, tracked=False)

    def losses():
        nonlocal most
        for value in values:
            most = max(most, alive)
            x, w, y = Node(1.0), Node(2.0), Node(value)
            loss = Node(value, (x, w, y))
            del x, w, y
            yield loss
            del loss
        most = max(most, alive)

    total = candidate(losses())
    return [total if type(total) is float else type(total).__name__, most]


def judge(answer, values):
    match answer:
        case (total, int() as most):
            pass
        case _:
            return "type: the sum of the losses is asked for, a float"
    if not isinstance(total, float):
        return f"type: it returns a {total}, a float is asked for"
    if most > AT_ONCE:
        return f"leak: {most} graph nodes are alive after {len(values)} losses of 4 nodes each"
    if not math.isclose(total, sum(values)):
        return f"value: it returns {total:g}, the sum is {sum(values):g}"
    return None


def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total += loss.item()
    return total


@mistake(
    "sums-nodes",
    "a sum of losses is a number",
    "What does `total` refer to after each iteration, and what does that refer to?",
)
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss
    return total.item()


@mistake(
    "keeps-list",
    "a list of losses is a list of numbers",
    "How long does the list hold each loss, and what does a loss hold?",
)
def bug_history_leak(losses):
    kept = list(losses)
    return sum(loss.item() for loss in kept)


@mistake(
    "returns-node",
    "a node will do where a float is asked for",
    "What can be logged: the node, or its value?",
)
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss.detach()
    return total


@mistake("last-loss", "the last loss is the sum", "How many losses enter what you return?")
def bug_history_leak(losses):
    for loss in losses:
        total = loss.item()
    return total


@mistake("mean", "the log wants the average", "Read the task again: the sum or the mean?")
def bug_history_leak(losses):
    total, count = 0.0, 0
    for loss in losses:
        total, count = total + loss.item(), count + 1
    return total / count
