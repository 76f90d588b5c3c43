"""Every element enters its sum with weight 1, so it receives the gradient of that sum. The backward of a sum therefore
copies g along the summed axes. A sum in the forward becomes a broadcast in backward.

The shapes need care. NumPy aligns shapes from the *right*. If a middle or last axis was summed away, `g` must get that
axis back with size 1 before it is broadcast. On a square matrix, NumPy does not notice a missing axis. NumPy reads `g`
of shape (3,) as a row, but after `axis=1` the entries of `g` belong in a column.

Cost: the forward reads and adds every element of x; backward writes every element and adds nothing. Backward needs the
shape of x and none of its values. Without the copy, `np.broadcast_to` would take no memory, because it returns a
read-only view with stride 0. This code copies g because an engine that accumulates gradients in place needs its own
memory.

PyTorch: `SumBackward0` (over everything) and `SumBackward1` (over axes) save no tensor. Both return an expanded g,
which is a view with stride 0. PyTorch copies that view when it becomes a leaf's `.grad`. `torch.autograd.grad` may
return the view itself, and adding to this view in place raises an error. `axis=()` means no axis in NumPy and all axes
in `torch.sum`.

Asked next:

- What is the backward of the mean? → The backward of the mean is the backward of the sum, divided by the number of
  elements in each mean. That number is the product of the sizes of all reduced axes.
- What is the backward of a product over axes, and why is g · out/x not enough? → If x is 0, out/x is 0/0. The
  derivative with respect to one element is the product of all other elements. If exactly one element is 0, only the
  derivative with respect to that element can differ from 0. If two elements are 0, every derivative is 0. Running
  products from the left and from the right compute the derivatives without a division.
- What is the backward of the cumulative sum? → x_j enters out_j and all later outputs, so dx_j is the sum of g from j
  on. Reverse g, accumulate, and reverse back.
- Which test would miss a g that is copied along the wrong axis? → A test with a square x and a constant g would miss
  this error, because the copies look alike along both axes. The loss out.sum() gives such a constant g. Use random
  cotangents and different sizes.
"""

from math import prod

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    (
        "Raise one element of x by h. By how much does the sum that contains this element move? Which entry of `g` "
        "belongs to that sum?"
    ),
    "Put the summed axes back into `g` with size 1, then copy `g` along them to the shape of x.",
    "Use `np.expand_dims(g, axis)` unless `keepdims` is set or `axis` is None. Then use `np.broadcast_to`, and copy.",
)
EMPTY = True
CASES = [
    given("x[n,m]", large={"n": 500, "m": 400}),
    given("x[n,m]", axis=0),
    given("x[n,n]", axis=1, note="a square array, axis=1"),
    given("x[n,m]", axis=1),
    given("x[k,m,n]", axis=(0, 2)),
    given("x[k,m,n]", axis=(2, 0)),
    given("x[k,m,n]", axis=(1, 0)),
    given("x[k,m,n]", axis=(-1, 0)),
    given("x[k,m,n]", axis=(-2, -3), keepdims=True),
    given("x[l,k,m,n]", axis=-3),
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


@mistake(
    "lazy-broadcast", "g broadcasts to the shape of x by itself", "For a 3x3 array and axis=1, is g a row or a column?"
)
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
    "ones",
    "the slope, 1 everywhere, is the whole gradient",
    "Only the root of the graph has gradient 1. Where does your code use g?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.ones(x_shape, g.dtype)


@mistake(
    "total",
    "every element receives the sum of g",
    "An element enters one of the sums. Which entry of g belongs to that sum?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.full(x_shape, g.sum(), g.dtype)


@mistake(
    "mean-of-everything",
    "a sum over all elements divides by their number",
    "Take x = [1, 1, 1]. How far does x.sum() move when one element moves by h?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is None:
        return np.broadcast_to(g, x_shape) / np.asarray(max(prod(x_shape), 1), g.dtype)
    return np.broadcast_to(g if keepdims else np.expand_dims(g, axis), x_shape).copy()


@mistake(
    "no-axis-is-none",
    "an empty tuple of axes means a sum over all axes",
    "What is the shape of `np.ones((2, 3)).sum(axis=())`? Which values of axis does your test take for None?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is None or axis == ():
        return np.full(x_shape, g.reshape(()), g.dtype)
    return np.broadcast_to(g if keepdims else np.expand_dims(g, axis), x_shape).copy()


@mistake(
    "axis-0-is-none",
    "an axis of 0 means a sum over all axes",
    "How does an `if` treat the number 0? What is the shape of g for axis=0?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if not axis:
        return np.full(x_shape, g.reshape(()), g.dtype)
    return np.broadcast_to(g if keepdims else np.expand_dims(g, axis), x_shape).copy()


@mistake(
    "negative-axis-of-g",
    "a negative axis counts from the last axis of g",
    "x has three axes and g has two. Which axis of x is axis -1, and which number do you get from `axis + g.ndim`?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is None or keepdims:
        return np.broadcast_to(g, x_shape).copy()
    shape = list(x_shape)
    for a in axis if isinstance(axis, tuple) else (axis,):
        shape[a + max(g.ndim, 1) if a < 0 else a] = 1
    return np.broadcast_to(g.reshape(shape), x_shape).copy()


@mistake(
    "axes-in-given-order",
    "the axes can be put back one by one in any order",
    "Take axis=(2, 0) and a g of one axis. Does `np.expand_dims(g, 2)` exist? Which axis must come back first?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        for a in axis if isinstance(axis, tuple) else (axis,):
            g = np.expand_dims(g, a)
    return np.broadcast_to(g, x_shape).copy()


@mistake(
    "first-axis-of-tuple",
    "only the first axis of a tuple was summed",
    "Take axis=(0, 2). How many axes does g lack, compared with x?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = np.expand_dims(g, axis[:1] if isinstance(axis, tuple) else axis)
    return np.broadcast_to(g, x_shape).copy()


@mistake(
    "axes-put-back-twice",
    "g has lost the summed axes even with keepdims=True",
    "What is the shape of `np.ones((2, 3)).sum(axis=1, keepdims=True)`?",
)
def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, x_shape).copy()
