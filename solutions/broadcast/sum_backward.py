"""Every element enters its sum with weight 1, so every element receives the gradient of the sum it entered: g is
copied back along the axes that were summed. Summing forward is broadcasting backward.

The work is in the shapes. NumPy aligns shapes from the *right*, so a `g` that lost a middle or last axis must get it
back as size 1 before it is broadcast. On a square matrix the mistake is silent: `g` of shape (3,) is taken for a row
although `axis=1` made it a column.

Cost: the forward reads and adds every element of x; backward writes every element and adds nothing. It needs the shape
of x and none of its values. `np.broadcast_to` alone would take no memory: it returns a read-only view with stride 0. An
engine that accumulates gradients in place needs memory of its own, hence the copy.

PyTorch: `SumBackward0`, over everything, and `SumBackward1`, over axes, keep no tensor and return g expanded, a view
with stride 0. As a leaf's `.grad` it is copied into memory of its own; from `torch.autograd.grad` you may get the view,
and adding to it in place raises. `axis=()` sums over nothing in NumPy and over everything in `torch.sum`.

Asked next:

- And the mean? → The same, divided by the number of elements that entered each sum, counted over all summed axes.
- And the product: why not g · out/x? → Where x is 0 that is 0/0. The slope is the product of all other elements: with
  one zero in the product only that zero has a slope other than 0, with two none has. Running products from the left and
  from the right give it without a division.
- And the cumulative sum? → x_j enters out_j and all later ones, so dx_j is the sum of g from j on: reverse g,
  accumulate, and reverse back.
- Which test would not notice g copied along the wrong axis? → One with a square x and a g that is constant, such as
  that of out.sum(): all copies look alike. Take random cotangents and sizes that differ.
"""

from math import prod

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    (
        "Raise one element of x by h. By how much does the sum it belongs to move? And which entry of `g` belongs "
        "to that sum?"
    ),
    "Put the summed axes back into `g` with size 1, then copy `g` along them to the shape of x.",
    "`np.expand_dims(g, axis)` unless `keepdims` (or `axis` is None), then `np.broadcast_to(..., x_shape).copy()`.",
)
CASES = [
    given("x[n,m]", large={"n": 500, "m": 400}),
    given("x[n,m]", axis=0),
    given("x[n,n]", axis=1, note="a square array, axis=1"),
    given("x[n,m]", axis=1),
    given("x[k,m,n]", axis=(0, 2)),
    given("x[k,m,n]", axis=(2, 0)),
    given("x[k,m,n]", axis=(-1, 0)),
    given("x[k,m,n]", axis=(-2, -3), keepdims=True),
    given("x[k,m,n]", axis=-2),
    given("x[k,m,n]", axis=-1, keepdims=True),
    given("x[n,m]", axis=None, keepdims=True),
    given("x[n]", axis=-1),
    given("x[l,k,m,n]", axis=(-3, -1)),
    given("x[]"),
    given("x[2,3]", axis=(), x=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], note="summed over no axis"),
]


def forward(x, axis=None, keepdims=False):
    return x.sum(axis=axis, keepdims=keepdims)


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, x_shape).copy()


@mistake("lazy-broadcast", "g broadcasts to x's shape by itself", "For a 3x3 array and axis=1, is g a row or a column?")
def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.broadcast_to(g, x_shape).copy()


@mistake("divide-by-n", "a sum is a mean", "With what weight does an element enter the sum?")
def sum_backward(g, x_shape, axis=None, keepdims=False):
    axes = tuple(range(len(x_shape))) if axis is None else (axis,) if isinstance(axis, int) else axis
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis)
    count = prod(x_shape[a] for a in axes)
    return np.broadcast_to(g, x_shape) / np.asarray(max(count, 1), g.dtype)


@mistake(
    "ones", "the slope, 1 everywhere, is the whole answer", "Only the root of the graph has gradient 1. Where is g?"
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.ones(x_shape, g.dtype)


@mistake(
    "total",
    "every element receives the sum of g",
    "An element enters one of the sums. Which entry of g belongs to that one?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.full(x_shape, g.sum(), g.dtype)
