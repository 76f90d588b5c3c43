"""Broadcasting copies values. A value that was copied to n places influences the loss through all n copies, so its
gradient is the *sum* of the copies' gradients. A broadcast in the forward becomes a sum in backward, and a sum becomes
a broadcast.

Broadcasting copies along two kinds of axes. Axes that were added on the left are summed and removed. Axes of size 1
that were stretched are summed but keep size 1. All other axes stay unchanged, so one reshape at the end produces the
right shape.

Cost: one pass over g, with at most one addition per element. Only the shape of the input must be saved. If nothing was
broadcast, backward could return g itself. The worked solution returns a copy even then, because NumPy's sum over no
axes is a copy.

PyTorch: `ExpandBackward0` and `Tensor.sum_to_size` compute this sum. If the given shape could not have been expanded to
the shape of g, `sum_to_size` raises an error. A VJP rule such as `MulBackward0` does not call `sum_to_size`. Instead,
the engine sums the rule's result to the shape recorded for the input.

Asked next:

- How do you test `unbroadcast` without a second autodiff engine? → Broadcasting is linear, and unbroadcast is its
  transpose. For random x and g the sum of broadcast(x) * g therefore equals the sum of x * unbroadcast(g), up to
  rounding.
- Is unbroadcast(broadcast(x)) equal to x? → Not in general. The result is x times the number of copies. The mean of the
  copies would give x back, but a gradient needs the transpose, not an inverse.
- g is all ones in float16, of shape (4096, 2). What does NumPy's sum along the first axis give? → Each sum is 2048, not
  4096. The running total stops at 2048, because 2048 + 1 rounds to 2048. Sum with `dtype=np.float32` and round the
  result.
"""

import math

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    (
        "One value was copied to several places. How do the gradients of the copies combine into the gradient of the "
        "original?"
    ),
    (
        "Sum over the axes that were added on the left, and over every axis that has size 1 in `shape` but a larger "
        "size in `g`."
    ),
    "Collect those axes in a tuple, sum over all of them at once, and finish with a reshape to `shape`.",
)
WRT = ("x",)
MAY_ALIAS = True
EMPTY = True
CASES = [
    given("x[n] like[m,n]"),
    given("x[m,1] like[m,n]"),
    given("x[1,n] like[m,n]"),
    given("x[1,n] like[k,m,n]"),
    given("x[] like[m,n]"),
    given("x[1] like[m,n]"),
    given("x[1,1,n] like[k,m,n]"),
    given("x[m,n] like[m,n]", note="nothing to undo"),
    given("x[k,1,n] like[l,k,m,n]", large={"l": 1, "k": 400, "m": 2, "n": 275}),
]


def forward(x, like):
    return engine.broadcast_to(x, like.shape)


def saved(x, like):
    return {"shape": x.shape}


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    stretched = (i + added for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=(*range(added), *stretched)).reshape(shape)


@mistake(
    "leading-only",
    "only the axes added on the left were copied",
    "An array of shape (3, 1) was stretched to (3, 4). Along which axis was it copied?",
)
def unbroadcast(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


@mistake("no-keepdims", "every summed axis disappears", "Compare your result's shape with `shape`, axis by axis.")
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(added)))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1))


@mistake("mean", "the copies' gradients are averaged", "Each copy contributes in full. Is the result a sum or a mean?")
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    axes = (*range(added), *(i + added for i, n in enumerate(shape) if n == 1))
    return g.mean(axis=axes, keepdims=True).reshape(shape)


@mistake(
    "reshape",
    "the first entries of g are the gradient of the original",
    "Every copy has a gradient. What does your code do with the gradients of the other copies?",
)
def unbroadcast(g, shape):
    size = 1
    for n in shape:
        size *= n
    return g.ravel()[:size].reshape(shape).copy()


@mistake(
    "first-copy",
    "the original receives only the first copy's gradient",
    "Every copy has a gradient. What does your code do with the gradients of the other copies?",
)
def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    kept = tuple(slice(0, 1) if n == 1 else slice(None) for n in shape)
    return g[(0,) * added + kept].copy()


@mistake(
    "first-copy-along-stretched-axes",
    "a stretched axis keeps the gradient of its first copy",
    "An array of shape (3, 1) was stretched to (3, 4). What does your code do with the last three columns of g?",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g[tuple(slice(0, 1) if n == 1 else slice(None) for n in shape)].copy()


@mistake(
    "first-copy-along-added-axes",
    "an axis added on the left keeps the gradient of its first copy",
    "An array of shape (4,) was broadcast to (3, 4). What does your code do with the last two rows of g?",
)
def unbroadcast(g, shape):
    g = g[(0,) * (g.ndim - len(shape))]
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True).copy()


@mistake(
    "axis-by-axis",
    "a later axis keeps its number when an earlier axis is summed",
    "Sum an array of shape (2, 3, 4) over axis 0 without keepdims. Which number does the axis of size 4 have now?",
)
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    for axis, n in enumerate(shape):
        if n == 1 and g.shape[axis] != 1:
            g = g.sum(axis=axis)
    return np.array(g)


@mistake(
    "size-for-shape",
    "a gradient with as many elements as the input also has the input's shape",
    "An array of shape (2, 1) was broadcast to (1, 2, 1). Which shape does your code return?",
)
def unbroadcast(g, shape):
    if g.size == math.prod(shape):
        return g.copy()
    added = g.ndim - len(shape)
    axes = (*range(added), *(i + added for i, n in enumerate(shape) if n == 1))
    return g.sum(axis=axes).reshape(shape)


@mistake(
    "aligned-left",
    "shapes are aligned from the left",
    "An array of shape (2, 1) was broadcast to (2, 2, 3). Along which axes of g was it copied?",
)
def unbroadcast(g, shape):
    rest, axes, added = list(shape), [], g.ndim - len(shape)
    for axis, n in enumerate(g.shape):
        if rest and (n == rest[0] or not added):
            if rest.pop(0) == 1:
                axes.append(axis)
        else:
            axes.append(axis)
            added -= 1
    return g.sum(axis=tuple(axes)).reshape(shape)
