"""Sorting moves numbers and changes none. While no two of them change places, `order` is constant, and the forward is a
gather, out[i] = x[order[i]]: a permutation matrix, whose transpose is its inverse. Backward is the matching scatter,

    dx[order[i]] = g[i]

each gradient goes to where its number came from. Nothing collides, as a permutation names every place once, so
assigning is enough and no addition is needed.

Gathering g with `order` is wrong, and treacherous: it is right whenever the permutation is its own inverse, as for
sorted input, for strictly descending input and for any exchange of two. Take [3, 1, 2] to see it. With equal numbers
the function has a kink; the stable order is the convention that keeps the answer unique.

Cost: O(n) for the scatter, where the forward's sort is O(n log n). The sort need not be done again, and x need not be
kept, but `order` must: as int64 it takes twice the memory of a float32 x.

PyTorch: `torch.sort` and `torch.topk` save the indices and scatter. `torch.sort` is stable only when asked, with
`stable=True`; without it, which of several equal numbers gets which gradient is not promised. `x.max()` shares g among
equal maxima, where `torch.sort(x).values[-1]` hands all of it to one.

Asked next:

- Can backward be a gather as well? → Yes, with the inverse permutation: dx = g[inverse], where inverse[order] =
  arange(n). That assignment takes O(n); `argsort(order)` gives the same by sorting again.
- What is the backward of the k largest? → The same scatter, into zeros: k places receive their gradients, and the
  others 0. Only k indices are kept.
- Finite differences disagree at ties. Who is right? → Nobody, there is no derivative. For the first output of
  two equal numbers a central difference gives 1/2 and 1/2, the stable order 1 and 0. Check numerically only where the
  numbers are further apart than the step, and hold ties against the convention.
- Can you train through `order` itself, say through ranks? → No: it is piecewise constant, so its derivative is 0
  wherever there is one. One needs a smooth surrogate of the ranks, or an estimator.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Take x = [3, 1, 2]. The first entry of out is the 1: where must the first entry of g go?",
    "The forward gathers with `order`; the backward scatters with it.",
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
EQUIVALENT = {"operand: np.empty(g.shape, g.dtype) -> np.empty(order.shape, g.dtype)": "the two have one shape"}


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
    "the permutation that sorted x brings the gradients back",
    "For x = [3, 1, 2], where must g[0] go? Where does yours send it?",
)
def sort_backward(g, order):
    return np.take_along_axis(g, order, axis=-1)


@mistake(
    "sort-g", "gradients are sorted as well", "Is it the size of a gradient or its place that ties it to a number?"
)
def sort_backward(g, order):
    return np.sort(g, axis=-1)


@mistake("as-is", "sorting changes no values, so no gradients", "Which entry of x became out[0]? Does it receive g[0]?")
def sort_backward(g, order):
    return g.copy()


@mistake("reversed", "the way back is the order read backwards", "What is the inverse of the permutation [1, 2, 0]?")
def sort_backward(g, order):
    dx = np.empty_like(g)
    np.put_along_axis(dx, order[..., ::-1], g, axis=-1)
    return dx


@mistake("first-axis", "rows are moved as a whole", "Is there one order for the array, or one for each row?")
def sort_backward(g, order):
    dx = np.zeros_like(g)
    dx[order] = g
    return dx
