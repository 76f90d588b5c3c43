"""`total + loss` is an operation of the graph, so total becomes a node that refers to the loss, which refers to
everything it was computed from: activations, inputs, all of it. After a thousand iterations total holds a thousand
graphs, and none may be freed, since somebody could still call `total.backward()`.

A log wants numbers. `.item()` copies the value out and lets go of the node; the graph of an iteration dies when the
loop's variable is given the next loss. Collecting the losses in a list and adding up later holds them just as long:
convert at once.

Anything kept from one iteration to the next asks the same question: metrics, the hidden state of a recurrent network,
the moving average of a target.

Cost: the leak grows by one graph an iteration; repaired, what is alive does not grow. Taking the number out is a copy
of a few bytes.

PyTorch: `total = total + loss` does the same, by way of `total.grad_fn`. After `loss.backward()` without `retain_graph`
the tensors that its nodes had saved are freed, and only the nodes themselves pile up, so the leak is slower in training
than in an evaluation loop without `no_grad`. Write `total += loss.item()`, or `loss.detach()` where waiting for the GPU
at every step would cost too much.

Asked next:

- What is the difference between adding `.item()` and adding `.detach()`? → On a GPU `.item()` waits until the loss has
  been computed; the detached sum stays on the device and is read once a log line. And `.item()` adds Python floats, in
  double precision, the other adds in the dtype of the loss.
- A recurrent network carries its hidden state from window to window: what do you do? → Detach it at the border. Else
  the next `backward` runs into the freed graph of the window before and raises, or with `retain_graph=True` goes back
  through all windows. The price: dependencies longer than a window get no gradient.
- Does `.detach()` let go of all memory? → Of the graph, but it shares the storage: `h[-1].detach()` of a float32 h of
  shape (1000, 8) holds all 32000 bytes. A `.clone()` after it holds 32.
- How do you test for such a leak? → Count the nodes that are alive, by weak references for example, after each
  iteration: the count must not grow with the number of iterations.
"""

import math

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "What type has `total` after the first iteration? What does it refer to after the second?",
    "Add numbers, not nodes: take the value out of each loss as soon as it comes.",
    "One call more in the line that adds, and one call less in the line that returns.",
)

AT_ONCE, TRACKED = 8, 6
"""Nodes that may be alive when a loss is asked for: the last loss with the three it came from, and a sum or two; and
those among them that are of a graph."""


@scenario(1, 2, 3, 5, 50, note="random losses")
def random_losses(rng, size):
    return {"values": [float(v) for v in rng.integers(-9, 10, size) / 2], "width": 1}


# What is alive is counted beside the candidate's code, and is its word; that 24 graphs of one MiB do not fit is
# enforced outside.
@scenario(24, note="losses with large graphs", memory=6 << 20, because="the graphs of all losses at once")
def large_graphs(rng, size):
    return {"values": [float(v) for v in rng.integers(-9, 10, size) / 2], "width": 1 << 17}


CASES = [random_losses, large_graphs]


def drive(candidate, values, width):
    alive = most = graphs = most_of_graphs = 0

    class Node:
        def __init__(self, data, prev=(), tracked=True):
            nonlocal alive, graphs
            self.data, self.tracked = data, tracked
            self._prev = prev if tracked else ()  # as in PyTorch, what comes from detached nodes alone has no history
            alive += 1
            graphs += tracked

        def __del__(self):
            nonlocal alive, graphs
            alive -= 1
            graphs -= self.tracked

        def __add__(self, other):
            if isinstance(other, Node):
                return Node(self.data + other.data, (self, other), self.tracked or other.tracked)
            return Node(self.data + other, (self,), self.tracked)

        __radd__ = __add__

        def item(self):
            return self.data

        def detach(self):
            return Node(self.data, tracked=False)

    def count():
        nonlocal most, most_of_graphs
        most, most_of_graphs = max(most, alive), max(most_of_graphs, graphs)

    def losses():
        for value in values:
            count()
            x, w, y = Node(np.ones(width)), Node(2.0), Node(value)
            loss = Node(value, (x, w, y))
            del x, w, y
            yield loss
            del loss
        count()

    total = candidate(losses())
    # As floats the counts tell one leak from another.
    whole = isinstance(total, (int, np.integer)) or None
    return [float(total) if isinstance(total, float) else whole, float(most), float(most_of_graphs)]


def judge(answer, values, width):
    match answer:
        case (total, float() as most, float() as of_graphs):
            pass
        case _:
            return "type: the sum of the losses is asked for, a float"
    if not isinstance(total, float):
        return f"type: it returns {'a whole number' if total is True else 'no number'}, a float is asked for"
    if most > AT_ONCE or of_graphs > TRACKED:
        return f"leak: {max(most, of_graphs):g} graph nodes are alive after {len(values)} losses of 4 nodes each"
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


@mistake(
    "keeps-two",
    "two graphs do not pile up",
    "When the third loss is asked for, who still refers to the first? What does the task allow to be alive then?",
)
def bug_history_leak(losses):
    total, recent = 0.0, [None, None]
    for loss in losses:
        recent = [recent[1], loss]
        total += loss.item()
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
