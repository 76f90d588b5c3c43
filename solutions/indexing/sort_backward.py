"""Sorting moves numbers but changes none of them. As long as no two of them change places, `order` is constant, and the
forward is a gather, out[i] = x[order[i]]. As a matrix it is a permutation, whose transpose is its inverse. Backward is
the matching scatter:

    dx[order[i]] = g[i]

Each gradient goes to the place its number came from. A permutation names every place once, so nothing collides, and
assigning is enough.

Gathering g with `order` is wrong, but often looks right. It is right whenever the permutation is its own inverse: for
sorted input, for strictly descending input and for any exchange of two. [3, 1, 2] shows the difference. With equal
numbers the function has a kink; the stable order is the convention that keeps the answer unique.

Cost: O(n) for the scatter, where the forward's sort is O(n log n). Backward need not sort again and does not need x. It
needs `order`, which as int64 takes twice the memory of a float32 x.

PyTorch: `torch.sort` and `torch.topk` save the indices and scatter. `torch.sort` is stable only with `stable=True`.
Without it, PyTorch does not promise which of several equal numbers gets which gradient. `x.max()` shares g among equal
maxima, whereas `torch.sort(x).values[-1]` gives all of it to one.

Asked next:

- Can backward be a gather as well? → Yes, with the inverse permutation: dx = g[inverse], where inverse[order] =
  arange(n). That assignment takes O(n); `argsort(order)` gives the same by sorting again.
- What is the backward of the k largest? → The same scatter, into zeros: k places receive their gradients, and the
  others get 0. Only k indices are saved.
- Finite differences disagree at ties. Which result is right? → Neither, because there is no derivative. For the first
  output of two equal numbers, central differences give 1/2 and 1/2, whereas the stable order gives 1 and 0. Check
  numerically only where the numbers are further apart than the step, and test ties against the convention.
- Can you train through `order` itself, for example through ranks? → No. `order` is piecewise constant, so its
  derivative is 0 wherever it exists. You need a smooth surrogate of the ranks, or an estimator.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Take x = [3, 1, 2]. The first entry of out is the 1. Where must the first entry of g go?",
    "The forward gathers with `order`; backward scatters with it.",
    "`np.put_along_axis` into an empty array, along the last axis. Or gather with the inverse permutation.",
)


def shuffled(rng, shape, _):
    return rng.permutation(int(np.prod(shape))).reshape(shape) * 1.0


CASES = [
    given("x[n,m]", x=shuffled),
    given("x[n]", x=shuffled),
    given("x[2,k,n,m]", x=shuffled),
    given("x[3]", x=[3.0, 1.0, 2.0], note="[3, 1, 2]"),
    given("x[4]", x=[2.0, 0.0, 3.0, 1.0], note="[2, 0, 3, 1]"),
    given("x[4]", x=[1.0, 2.0, 3.0, 4.0], note="sorted"),
    given("x[4]", x=[4.0, 3.0, 2.0, 1.0], note="reversed"),
    given("x[5]", x=[0.0, -1.0, 0.0, 1.0, 0.0], smooth=False, note="ties"),
]
EQUIVALENT = {
    "operand: np.empty(g.shape, g.dtype) -> np.empty(order.shape, g.dtype)": "g and order have the same shape"
}


def forward(x):
    return engine.sort(x)


def saved(x):
    return {"order": np.argsort(x, axis=-1, kind="stable")}


def sort_backward(g, order):
    dx = np.empty(g.shape, g.dtype)
    np.put_along_axis(dx, order, g, axis=-1)
    return dx


@mistake(
    "gather-order",
    "gathering with `order` undoes the sort",
    "For x = [3, 1, 2], where must g[0] go? Where does your code send it?",
)
def sort_backward(g, order):
    return np.take_along_axis(g, order, axis=-1)


@mistake(
    "sort-g",
    "the gradients are sorted as well",
    "What decides which number a gradient belongs to: the gradient's size or its place?",
)
def sort_backward(g, order):
    return np.sort(g, axis=-1)


@mistake(
    "as-is",
    "sorting moves no gradients because it changes no values",
    "Which entry of x became out[0]? Does it receive g[0]?",
)
def sort_backward(g, order):
    return g.copy()


@mistake("reversed", "`order` read backwards is its inverse", "What is the inverse of the permutation [1, 2, 0]?")
def sort_backward(g, order):
    dx = np.empty_like(g)
    np.put_along_axis(dx, order[..., ::-1], g, axis=-1)
    return dx


@mistake(
    "first-axis",
    "the array has one order, which moves whole rows",
    "Is there one order for the array, or one for each row?",
)
def sort_backward(g, order):
    dx = np.zeros_like(g)
    dx[order] = g
    return dx
