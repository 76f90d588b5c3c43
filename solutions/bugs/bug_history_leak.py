"""`total + loss` is an operation of the graph. So `total` becomes a node that refers to the loss, and the loss refers
to everything it was computed from: activations, inputs and parameters. After a thousand iterations `total` keeps a
thousand graphs alive. None of these graphs can be freed, because `total.backward()` could still be called.

A log needs numbers. `.item()` returns the value as a number, which keeps no reference to the node. The graph of an
iteration is then freed when the loop variable is assigned the next loss. Collecting the losses in a list and adding
them later keeps all graphs alive as well, so convert each loss as soon as it arrives.

The same leak is possible with everything that is kept from one iteration to the next: metrics, the hidden state of a
recurrent network, the moving average of a target.

Cost: the leak grows by one graph per iteration. After the repair, the memory in use does not grow. Each call of
`.item()` copies a few bytes.

PyTorch: `total = total + loss` leaks in the same way, through `total.grad_fn`. `loss.backward()` without `retain_graph`
frees the tensors that the graph had saved, so only the nodes themselves pile up. The leak is therefore slower in
training than in an evaluation loop without `no_grad`. Write `total += loss.item()`, or `total += loss.detach()` if
waiting for the GPU at every step costs too much.

Asked next:

- What is the difference between adding `.item()` and adding `.detach()`? → On a GPU `.item()` waits until the loss has
  been computed. A detached sum stays on the device, and the host reads it only once per log line. A sum of `.item()`
  values is a Python float in double precision; a detached sum has the dtype of the loss.
- A recurrent network carries its hidden state from window to window. How do you keep the graph from growing? → Detach
  the hidden state at the boundary. Otherwise the next `backward` reaches the freed graph of the previous window and
  raises an error. With `retain_graph=True`, `backward` goes back through all windows instead. Detaching has a price:
  dependencies longer than a window receive no gradient.
- Does `.detach()` release all memory? → `.detach()` releases the graph, but its result shares the tensor's storage. If
  h is float32 of shape (1000, 8), `h[-1].detach()` keeps all 32000 bytes alive. `h[-1].detach().clone()` keeps only 32
  bytes alive.
- How do you test for such a leak? → Count the living nodes after each iteration, for example by weak references. The
  count must not grow with the number of iterations.
"""

import math
import weakref

import numpy as np

from autodrill.drills import ask, mistake, scenario

HINTS = (
    "What type does `total` have after the first iteration? What does `total` refer to after the second iteration?",
    "Add numbers instead of nodes: take the value out of each loss as soon as the loss arrives.",
    "Put one call into the line that adds, and remove the call from the line that returns.",
)

AT_ONCE, TRACKED = 8, 6
"""AT_ONCE nodes may be alive when a loss is requested: the previous loss, its three inputs, and a few sums. At most
TRACKED of these nodes may have a history."""


@scenario(1, 2, 3, 5, 50, note="random losses")
def random_losses(rng, size):
    return {"values": [float(v) for v in rng.integers(-9, 10, size) / 2], "width": 0}


# `drive` counts living nodes in the candidate's own process, so the candidate could falsify the count. The memory bound
# is enforced from outside that process. Each node takes 16 KiB as long as it lives: 400 graphs take 25 MiB.
@scenario(400, note="losses with large graphs", memory=7 << 20, because="the graphs of all losses are alive at once")
def large_graphs(rng, size):
    return {"values": [float(v) for v in rng.integers(-9, 10, size) / 2], "width": 1 << 11}


CASES = [random_losses, large_graphs]


def answer(asked, values, width):
    return values[asked] if type(asked) is int and 0 <= asked < len(values) else None


# Each value is asked for when its loss is requested, so that a candidate cannot read the others meanwhile.
def drive(candidate, width):
    alive = graphs = 0
    unused = kept = False
    counts = [(0, 0)]

    class Node:
        # Slots are a part of the node itself, so a candidate cannot empty a node and keep it.
        __slots__ = ("data", "tracked", "used", "_prev", "__weakref__", *(f"_{number}" for number in range(width)))

        def __init__(self, data, prev=(), tracked=True):
            nonlocal alive, graphs
            self.data, self.tracked, self.used = data, tracked, tracked
            self._prev = prev if tracked else ()  # as in PyTorch, no history if all inputs are detached
            alive += 1
            graphs += tracked

        def __del__(self):
            nonlocal alive, graphs, unused
            alive -= 1
            graphs -= self.tracked
            unused = unused or not self.used

        def __add__(self, other):
            self.used = True
            if isinstance(other, Node):
                other.used = True
                return Node(self.data + other.data, (self, other), self.tracked or other.tracked)
            return Node(self.data + other, (self,), self.tracked)

        __radd__ = __add__

        def item(self):
            self.used = True
            return self.data

        def detach(self):
            return Node(self.data, tracked=False)

    def losses():
        nonlocal kept
        requested = 0
        while (value := ask(requested)) is not None:
            requested += 1
            counts.append((alive, graphs))
            x, w, y = Node(3.0), Node(2.0), Node(value)
            loss = Node(value, (x, w, y))
            if requested == 1:
                first = weakref.ref(loss)
            del x, w, y
            yield loss
            del loss
        counts.append((alive, graphs))
        kept = first() is not None

    total = candidate(losses())
    whole = isinstance(total, (int, np.integer)) or None
    most = [max(column) for column in zip(*counts, strict=True)]
    number = float(total) if isinstance(total, float) else whole
    return [number, *most, *growth(counts), float(unused), float(kept)]


# Diagnosis tells one leak from another by the floats in the list, and ignores the integers. The last two floats say
# whether a detached node was never used, and whether the first loss lives to the end.
def growth(counts):
    """Return how the two counts grow with the median loss, whether a count ever falls, and the most graphs of 4 nodes.

    The first loss may be special, so the median leaves it out. More than 5 graphs count as 5, so that it does not
    matter how many losses pass until a graph is freed.
    """
    steps = [np.diff(column).tolist() for column in zip(*counts, strict=True)]
    later = [sorted(column[2:]) or [0] for column in steps]
    usual = [float(column[(len(column) - 1) // 2]) for column in later]
    falls = any(min(column, default=0) < 0 for column in steps)
    return [*usual, float(falls), float(min(max(graphs for _, graphs in counts) // 4, 5))]


def judge(answer, values, width):
    match answer:
        case list([total, int() as most, int() as of_graphs, *_]):  # since NumPy 2.5 an array matches a bare pattern
            pass
        case _:
            return "type: it must return the sum of the losses as a float"
    if not isinstance(total, float):
        return f"type: it returns {'an integer' if total is True else 'no number'}, but it must return a float"
    if most > AT_ONCE or of_graphs > TRACKED:
        return f"leak: {max(most, of_graphs)} graph nodes are alive after {len(values)} losses of 4 nodes each"
    if not math.isclose(total, sum(values)):
        return f"value: it returns {total:g}, but the sum is {sum(values):g}"
    return None


def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total += loss.item()
    return total


@mistake(
    "sums-nodes",
    "a sum of losses is a number",
    "Which node does `total` refer to after each iteration, and what does that node refer to?",
)
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss
    return total.item()


@mistake(
    "keeps-list",
    "a list of losses is a list of numbers",
    "How long does the list keep each loss alive, and what does a loss refer to?",
)
def bug_history_leak(losses):
    kept = list(losses)
    return sum(loss.item() for loss in kept)


@mistake(
    "returns-node",
    "a node may be returned instead of a float",
    "What can be logged: the node, or its value?",
)
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss.detach()
    return total


@mistake(
    "keeps-two",
    "one more graph than the task allows may stay alive",
    "When the third loss is requested, what still refers to the first? Which graphs may be alive then?",
)
def bug_history_leak(losses):
    total, recent = 0.0, [None, None]
    for loss in losses:
        recent = [recent[1], loss]
        total += loss.item()
    return total


@mistake(
    "last-loss",
    "the last loss is the sum",
    "How many losses contribute to the value that you return?",
)
def bug_history_leak(losses):
    for loss in losses:
        total = loss.item()
    return total


@mistake(
    "mean",
    "the log needs the average of the losses",
    "Read the task again: does it ask for the sum or the mean?",
)
def bug_history_leak(losses):
    total, count = 0.0, 0
    for loss in losses:
        total, count = total + loss.item(), count + 1
    return total / count


@mistake(
    "cut-now-and-then",
    "it is enough to cut the history every few iterations",
    "Between two cuts, what does `total` refer to? How many graphs are alive when the tenth loss is requested?",
)
def bug_history_leak(losses):
    total = 0.0
    for step, loss in enumerate(losses, start=1):
        total = total + loss
        if step % 10 == 0:
            total = total.detach()
    return total.item()


@mistake(
    "first-loss-tracked",
    "the sum has no history if all losses but the first are detached",
    "Your total starts as the first loss. Does `total + loss.detach()` have a history?",
)
def bug_history_leak(losses):
    losses = iter(losses)
    total = next(losses)
    for loss in losses:
        total = total + loss.detach()
    return total.item()


@mistake(
    "first-loss-kept",
    "the sum may start as the first loss itself",
    "What does `total` refer to after the first iteration? Is the graph of the first loss still alive at the end?",
)
def bug_history_leak(losses):
    losses = iter(losses)
    total = next(losses)
    for loss in losses:
        total = total + loss.item()
    return total.item()


@mistake(
    "detach-dropped",
    "`detach()` cuts the history of the node itself",
    "`detach()` returns a node. Which of your variables refers to that node, and which still refers to the old one?",
)
def bug_history_leak(losses):
    total = 0.0
    for loss in losses:
        total = total + loss
        total.detach()
    return total.item()


@mistake(
    "first-variable-kept",
    "a variable that refers to a loss keeps only its value alive",
    "Which variable refers to the first loss while the loop runs? What does that loss refer to?",
)
def bug_history_leak(losses):
    losses = iter(losses)
    first = next(losses)
    total = first.item()
    for loss in losses:
        total += loss.item()
    return total


@mistake(
    "keeps-detached",
    "nodes without history may pile up",
    "How many nodes does your list refer to when the tenth loss is requested? What do you need of each node?",
)
def bug_history_leak(losses):
    kept = [loss.detach() for loss in losses]
    return sum(node.item() for node in kept)
