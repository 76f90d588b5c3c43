"""A linear layer has two gradients, and they are independent of each other:

    dx = g Wᵀ,    dW = xᵀ g

The previous stage needs dx to go on with its backward. No stage waits for dW. Only the optimiser needs it, after all
micro-batches. So `backward_input` computes dx and puts x and g into a queue. `backward_weight` takes one pair out of
this queue and adds the second product.

There are two queues. The first one holds the x of micro-batches without a backward. The second one holds the x and g of
micro-batches without a weight gradient. Both are first in, first out, because in a pipeline the gradients come back in
the order of the micro-batches. A stack would be right within one graph, where backward visits the operations in
reverse.

Cost: the same two products as an ordinary backward. The price is memory: x and g stay until `backward_weight`, whereas
an ordinary backward frees both at once. Keeping the product xᵀ g instead would take d·k numbers per micro-batch and
would put the product back on the critical path.

PyTorch: `torch.distributed.pipelining` splits the backward of any module in this way. `stage_backward_input` computes
the gradients of the inputs and leaves `weight.grad` at None. `stage_backward_weight` starts again from the saved
intermediate gradients. `ScheduleInterleavedZeroBubble` and `ScheduleZBVZeroBubble` use this split.

Asked next:

- How does the split shorten a pipeline step? → The critical path holds only forwards and input gradients. Let a
  forward, an input gradient and a weight gradient take 1 unit of time each. With S stages, the idle time of a stage is
  3·(S - 1) in 1F1B. In the schedule ZB-H1 of the zero-bubble paper it is S - 1, with about the same memory. In ZB-H2 it
  is 0, with about twice the memory.
- Does the split pay for every layer? → It pays for layers with two large products, such as linear layers and
  convolutions. An elementwise layer has no weight gradient. The weight gradients of a norm are a small share of its
  work.
- Gradients are clipped by their global norm. What does this mean for the schedule? → The norm needs every dW, so the
  optimiser step still waits for the last `backward_weight` of all stages. Zero-bubble schedules step first and roll
  back in the rare case that clipping was needed.
- Is `dW` the same as with an ordinary backward? → Yes, if the micro-batches are added in the same order. Another order
  changes the last bits only.
"""

from collections import deque

import numpy as np

from autodrill import engine
from autodrill.drills import Scales, edit, gradient, mistake, scenario

HINTS = (
    "Which of the two products of the backward does the previous stage wait for? What does the other product need?",
    (
        "Keep the inputs in one queue. `backward_input` moves the oldest input into a second queue, together with g. "
        "`backward_weight` takes the oldest pair out."
    ),
    (
        "Write `self.waiting.append((self.inputs.popleft(), ...))` in `backward_input` and `x, g = ...` in "
        "`backward_weight`."
    ),
)
RESULTS = ("out", "dx", "dW", "the number of steps with dW None", "the number of early products")


def made(rng, rows, steps, d=3, k=2):
    return {
        "W": rng.normal(size=(d, k)),
        "x": [rng.normal(size=(n, d)) for n in rows],
        "g": [rng.normal(size=(n, k)) for n in rows],
        "steps": steps,
        "seed": int(rng.integers(1 << 40)),
    }


# A step is a letter: F for a forward, B for `backward_input`, W for `backward_weight`.
@scenario(1, note="one micro-batch")
def single(rng, size):
    return made(rng, [2], "FBW")


@scenario(3, note="two forwards before the first backward")
def interleaved(rng, size):
    return made(rng, [2, 4, 1], "FFBFBBWWW")


@scenario(3, note="equal micro-batches")
def equal(rng, size):
    return made(rng, [2, 2, 2], "FFFBWBBWW", 2, 4)


@scenario(4, note="weight gradients in between")
def mixed(rng, size):
    return made(rng, [1, 3, 3, 2], "FFBWFBFBWBWW", 3, 3)


# The weight gradient of a micro-batch takes 512 KiB, and its x and g take 4 KiB.
@scenario(128, note="many waiting micro-batches", memory=12 << 20, because="the products of the waiting micro-batches")
def waiting(rng, size):
    return made(rng, [1], "F" * size + "B" * size + "W" * size, 256, 256)


# The x of a micro-batch takes 512 KiB. `drive` copies it, so that only the layer keeps it.
@scenario(96, note="many finished micro-batches", memory=9 << 20, because="the inputs of finished micro-batches")
def finished(rng, size):
    return made(rng, [2048], "FBW" * size, 32, 1)


# These two cases weigh what the layer holds, so that they notice an early product on any arrays. A product is much
# smaller than x and g in the first case, and much larger in the second.
@scenario(12, note="micro-batches of many rows")
def tall(rng, size):
    rows = rng.integers(60, 120, size).tolist()
    return made(rng, rows, "F" * size + "B" * size + "W" * size, *rng.integers(6, 13, 2))


@scenario(12, note="micro-batches of one row")
def flat(rng, size):
    return made(rng, [1] * size, "F" * size + "B" * size + "W" * size, *rng.integers(40, 80, 2))


CASES = [single, interleaved, equal, mixed, tall, flat, waiting, finished]


# In the short cases dW is read after each step, and None reads as 0. The long cases return the last dW, and before it
# one number for each W: a product of dW with random numbers that the candidate does not know. So one sum of all early
# products cannot take their place.
def drive(candidate, W, x, g, steps, seed):
    import contextlib

    step, early, nones = "", 0, 0

    class Input(np.ndarray):
        """An input that counts the products in which `backward_input` uses it."""

        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            nonlocal early
            early += step == "B" and ufunc in (np.matmul, np.multiply)
            if "out" in options:
                options["out"] = tuple(np.asarray(a) for a in options["out"])
            return getattr(ufunc, method)(*(np.asarray(a) for a in inputs), **options)

        def __array_function__(self, function, types, arguments, options):
            nonlocal early
            early += step == "B" and function in (np.dot, np.einsum, np.tensordot, np.inner, np.outer, np.vdot)
            return super().__array_function__(function, types, arguments, options)

        def dot(self, other, out=None):
            return np.dot(self, other, out)

    large, long = len(steps) > 50, len(steps) > 12
    weighed = long and not large
    outs, inputs, weights, count = [], [], [], {"F": 0, "B": 0, "W": 0}
    probe = np.random.default_rng(seed).normal(size=W.size if long else 0)
    with Scales() if weighed else contextlib.nullcontext() as scales:
        layer = candidate(W)
        for step in steps:
            i = count[step] % len(x)
            count[step] += 1
            own = None
            if step == "F":
                own = np.array(layer.forward(x[i].copy() if long else x[i].view(Input)))
                outs += [] if long else [own]
            elif step == "B":
                own = np.array(layer.backward_input(g[i].copy() if long else g[i]))
                inputs += [] if long else [own]
            else:
                layer.backward_weight()
            if not long:
                nones += layer.dW is None
                weights.append(np.zeros(W.shape) if layer.dW is None else np.array(layer.dW, dtype=float))
            elif step == "W":
                weights.append(np.ravel(layer.dW) @ probe if np.size(layer.dW) == W.size > 1 else 0.0)
            if weighed and step == "B":
                own = None
                need = sum(a.nbytes for a in x[count["W"] :] + g[count["W"] : count["B"]])
                most = 3 * need + 3 * W.nbytes + 1024 * len(x)  # copies, other arrays of W's shape, and small objects
                early += not need <= scales.bytes <= most
    if long:
        outs, inputs, weights = [np.zeros(0)], [np.zeros(0)], [np.append(weights, layer.dW)]
    return {
        "out": np.concatenate(outs),
        "dx": np.concatenate(inputs),
        "dW": weights[0] if long else np.stack(weights),
        "the number of steps with dW None": nones,
        "the number of early products": early,
    }


def expected(W, x, g, steps, seed):
    if len(steps) > 12:
        probe, total, numbers = np.random.default_rng(seed).normal(size=W.size), np.zeros(W.shape), []
        for i in range(steps.count("W")):
            total += x[i % len(x)].T @ g[i % len(x)]
            numbers.append(total.ravel() @ probe)
        return dict(zip(RESULTS, (np.zeros(0), np.zeros(0), np.append(numbers, total), 0, 0), strict=True))

    def loss(x, W, g):
        return (engine.matmul(x, W) * g).sum()

    pairs = [gradient(lambda x, W, g=g_i: loss(x, W, g), x_i, W) for x_i, g_i in zip(x, g, strict=True)]
    after, done = [], 0
    for step in steps:
        done += step == "W"
        after.append(sum((dW for _, dW in pairs[:done]), np.zeros(W.shape)))
    return {
        "out": np.concatenate(x) @ W,
        "dx": np.concatenate([dx for dx, _ in pairs]),
        "dW": np.stack(after),
        "the number of steps with dW None": steps.index("W"),
        "the number of early products": 0,
    }


class Linear:
    def __init__(self, W):
        self.W, self.dW = W, None
        self.inputs, self.waiting = deque(), deque()

    def forward(self, x):
        self.inputs.append(x)
        return x @ self.W

    def backward_input(self, g):
        self.waiting.append((self.inputs.popleft(), g))
        return g @ self.W.T

    def backward_weight(self):
        x, g = self.waiting.popleft()
        dW = x.T @ g
        self.dW = dW if self.dW is None else self.dW + dW


MISTAKES = [
    edit(
        "stash-overwritten",
        "only one micro-batch is under way",
        (
            "Two forwards run, then a backward. Which micro-batch's x does that backward need, and which x does your "
            "layer hold?"
        ),
        "self.inputs.append(x) -> self.inputs = deque([x])",
        "self.inputs.popleft() -> self.inputs[0]",
    ),
    edit(
        "pair-overwritten",
        "only one micro-batch waits for its weight gradient",
        "Two calls of `backward_input` come before the first `backward_weight`. Which pairs must your layer hold?",
        "self.waiting.append((self.inputs.popleft(), g)) -> self.waiting = deque([(self.inputs.popleft(), g)])",
        "x, g = self.waiting.popleft() -> x, g = self.waiting[0]",
    ),
    edit(
        "last-in-first-out",
        "the inputs are a stack",
        "Which micro-batch's gradient comes back first to a pipeline stage?",
        "self.inputs.popleft() -> self.inputs.pop()",
    ),
    edit(
        "newest-pair-first",
        "any waiting micro-batch may come next",
        "Three micro-batches wait. Which micro-batch must `backward_weight` take first?",
        "self.waiting.popleft() -> self.waiting.pop()",
    ),
    edit(
        "assigned",
        "dW belongs to one micro-batch",
        "The optimiser steps once, after many micro-batches. What must dW contain then?",
        "self.dW = dW if self.dW is None else self.dW + dW -> self.dW = dW",
    ),
]


@mistake(
    "queue-never-emptied",
    "a queue can keep the micro-batches that are done",
    "What does the second call of `backward_weight` add to `dW`?",
)
class Linear(Linear):
    def backward_weight(self):
        for x, g in self.waiting:
            dW = x.T @ g
            self.dW = dW if self.dW is None else self.dW + dW


@mistake(
    "all-at-once",
    "one call computes the weight gradients of all waiting micro-batches",
    "How many micro-batches does one call of `backward_weight` take?",
)
class Linear(Linear):
    def backward_weight(self):
        while self.waiting:
            super().backward_weight()


@mistake(
    "not-released",
    "counting the finished micro-batches is enough",
    "Which arrays does your layer still refer to after `backward_weight`?",
)
class Linear(Linear):
    def __init__(self, W):
        super().__init__(W)
        self.done = 0

    def backward_weight(self):
        x, g = self.waiting[self.done]
        self.done += 1
        dW = x.T @ g
        self.dW = dW if self.dW is None else self.dW + dW


@mistake(
    "weight-at-once",
    "both gradients must be computed in one call",
    "Which of the two products does the previous stage wait for?",
)
class Linear(Linear):
    def backward_input(self, g):
        dx = super().backward_input(g)
        super().backward_weight()
        return dx

    def backward_weight(self):
        return


@mistake(
    "product-kept",
    "the product can be computed early and added later",
    (
        "How many numbers do x and g have, and how many does their product have? Does the previous stage now wait for "
        "the product?"
    ),
)
class Linear(Linear):
    def backward_input(self, g):
        self.waiting.append(self.inputs.popleft().T @ g)
        return g @ self.W.T

    def backward_weight(self):
        dW = self.waiting.popleft()
        self.dW = dW if self.dW is None else self.dW + dW


@mistake(
    "zeros-before-the-product",
    "dW may become zeros before the first weight gradient arrives",
    "What must `dW` be after `backward_input` and before the first `backward_weight`? Which line changes it earlier?",
)
class Linear(Linear):
    def backward_input(self, g):
        if self.dW is None:
            self.dW = 0 * self.W
        return super().backward_input(g)


@mistake(
    "zeros-at-the-start",
    "dW starts as zeros",
    "Read the task again: what is `dW` of a new layer?",
)
class Linear(Linear):
    def __init__(self, W):
        super().__init__(W)
        self.dW = 0 * W


@mistake(
    "cleared-by-backward-input",
    "a new backward starts a new dW",
    "What must `dW` hold after two micro-batches? Which call of `backward_input` loses the first one?",
)
class Linear(Linear):
    def backward_input(self, g):
        self.dW = None
        return super().backward_input(g)
