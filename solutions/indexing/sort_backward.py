"""Sorting is a permutation of its input: it moves numbers but changes none of them. As long as the ranks of the numbers
do not change, `order` is constant, and the forward is the gather out[i] = x[order[i]]. The matrix of this gather is a
permutation matrix, so its transpose is its inverse. Backward is the matching scatter:

    dx[order[i]] = g[i]

Each gradient goes to the place that its number came from. A permutation names every place once, so no two gradients
collide, and plain assignment is enough.

Gathering g with `order` is wrong, but often looks right. The gather is right whenever the permutation is its own
inverse: for sorted or strictly descending input, and for sorted input with two numbers exchanged. The input [3, 1, 2]
shows the difference. If two numbers are equal, sorting has a kink there. The stable order is the convention that makes
the answer unique.

Cost: for n numbers the scatter takes O(n), whereas the forward's sort takes O(n log n). Backward neither sorts again
nor needs x. Backward needs `order`, and an int64 `order` takes twice the memory of a float32 x.

PyTorch: `torch.sort` and `torch.topk` save the indices, and their backward scatters. `torch.sort` is stable only with
`stable=True`. Without `stable=True`, PyTorch does not promise which gradient each of several equal numbers gets.
`x.max()` shares g among equal maxima, whereas `torch.sort(x).values[-1]` gives all of g to one of them.

Asked next:

- Can backward be a gather as well? → Yes, with the inverse permutation: dx = g[inverse], where inverse[order] =
  arange(n). Computing `inverse` by this assignment takes O(n). `argsort(order)` gives the same array but sorts again.
- What is the backward of selecting the k largest numbers? → The backward is the same scatter, into an array of zeros.
  The k selected places receive their gradients, and the others get 0. Only k indices are saved.
- Finite differences disagree with this backward at ties. Which result is right? → Neither result is right, because
  sorting has no derivative at a tie. Take two equal numbers. For the slopes of the first output, central differences
  give 1/2 and 1/2, whereas the stable order gives 1 and 0. Check numerically only if the numbers are further apart than
  the step, and test ties against the convention.
- Can you train through `order` itself, for example through ranks? → No. `order` is piecewise constant, so its
  derivative is 0 wherever it exists. You need a smooth surrogate of the ranks, or a gradient estimator.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Take x = [3, 1, 2]. The first entry of out is x[1]. Where must the first entry of g go?",
    "The forward gathers with `order`; backward scatters with the same `order`.",
    (
        "Use `np.put_along_axis` on an empty array, along the last axis. Alternatively, gather with the inverse "
        "permutation."
    ),
)


def shuffled(rng, shape, _):
    return rng.permutation(int(np.prod(shape))).reshape(shape) * 1.0


EMPTY = True
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
    "Which entry of x became out[0]? Does that entry receive g[0]?",
)
def sort_backward(g, order):
    return g.copy()


@mistake("reversed", "reversing `order` gives its inverse", "What is the inverse of the permutation [1, 2, 0]?")
def sort_backward(g, order):
    dx = np.empty_like(g)
    np.put_along_axis(dx, order[..., ::-1], g, axis=-1)
    return dx


@mistake(
    "first-axis",
    "the array has one order, which moves whole rows",
    "Do all rows share one order, or does each row have its own order?",
)
def sort_backward(g, order):
    dx = np.zeros_like(g)
    dx[order] = g
    return dx


@mistake(
    "no-row-offsets",
    "the indices in every row of `order` count from the start of the flattened array",
    "Row 1 of `order` holds positions within row 1. Where do they point in the flattened array?",
)
def sort_backward(g, order):
    dx = np.zeros(g.size, g.dtype)
    dx[order.ravel()] = g.ravel()
    return dx.reshape(g.shape)


@mistake(
    "offsets-of-first-axis",
    "the rows lie along the first axis only",
    "x has the shape (2, 3, 4). How many rows of 4 does it have? How many different offsets does your code add?",
)
def sort_backward(g, order):
    dx = np.zeros(g.size, g.dtype)
    starts = g.shape[-1] * np.arange(g.shape[0] if g.ndim > 1 else 1)
    dx[(order + starts.reshape(-1, *[1] * (g.ndim - 1))).ravel()] = g.ravel()
    return dx.reshape(g.shape)


@mistake(
    "inverse-along-axis-0",
    "the inverse of every row of `order` can be found along axis 0",
    "Each row of `order` is a permutation. Along which axis must argsort run to invert it?",
)
def sort_backward(g, order):
    return np.take_along_axis(g, np.argsort(order, axis=0, kind="stable"), axis=-1)


@mistake(
    "one-order-for-all",
    "all rows have the order of the first row",
    "The forward sorted each row by itself. Which row of `order` belongs to row 1 of g?",
)
def sort_backward(g, order):
    dx = np.empty_like(g)
    if g.size:
        dx[..., order.reshape(-1, g.shape[-1])[0]] = g
    return dx


@mistake(
    "every-place-compared",
    "every place is compared with every entry of `order`",
    "A row has 50,000 numbers. How many comparisons does your code make? Which place does order[i] name?",
)
def sort_backward(g, order):
    P = (order[..., :, None] == np.arange(g.shape[-1])).astype(g.dtype)
    return (g[..., None, :] @ P)[..., 0, :]
