"""The backward of a broadcast product has two steps. First, the derivative of a product with respect to one operand is
the other operand, so the gradient of a's *copies* is `g * b`. Second, the gradients of all copies of one element are
summed, which undoes the broadcast.

Multiply first, sum second. The order matters unless the other operand is constant along the summed axes.

Cost: two elementwise products of the size of `out`, and one sum for each operand that was broadcast. The forward has
one product. Both operands are saved, in their own shapes. `out` is not saved. Each product takes as much memory as
`out`, even if the gradient that it yields has only one element.

PyTorch: `MulBackward0` saves an operand only if the other one needs a gradient, and it does not expand the saved
operand. The VJP rule returns `g * b` in the shape of `out` and conjugates a complex b. The engine then sums this
product to the shape recorded for the input and casts it to the recorded dtype. If a saved operand was changed in place,
backward raises an error.

Asked next:

- `a` is a column (n, 1), and `b` is a row (1, m): can you avoid the n x m products? → Yes. Since da_i = Σ_j g_ij b_j,
  da is the matrix product g bᵀ. In the same way, db is aᵀ g.
- `a` is float32, and `b` is float64: what does this backward lack? → This backward lacks a cast. In NumPy, `out`, g and
  the two products are then float64, so da must be cast to float32, preferably after the sum.
- `a` and `b` are the same array: what is its gradient? → Its gradient is the sum of both results, 2ga, because the
  array was used twice. An engine that overwrites gradients instead of adding them returns half of this sum.
- Is this backward itself differentiable? → Yes, because da is a broadcast product, summed to a's shape. If da has the
  cotangent u, the gradient of g is u * b, and the gradient of b is g * u, summed to b's shape. So the second backward
  applies the same rule.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    (
        "Forget broadcasting for a moment: what are the two partial derivatives of a product? Now suppose NumPy "
        "copied an input: what must happen to the gradients of the copies?"
    ),
    (
        "For each operand, multiply `g` by the other operand elementwise. Then sum over the axes along which the "
        "operand itself was copied."
    ),
    (
        "Write a helper `unbroadcast(g, shape)` and return `unbroadcast(g * ..., a.shape), unbroadcast(g * ..., "
        "b.shape)`."
    ),
)


def some_zeros(rng, shape, _):
    return rng.integers(-2, 3, shape).astype(float)


EMPTY = True
CASES = [
    given("a[n,m] b[n,m]"),
    given("a[k,m,n] b[m,1]"),
    given("a[n,1] b[1,m]"),
    given("a[l,k,m,n] b[1,k,1,n]"),
    given("a[n] b[m,n]", a=some_zeros, b=some_zeros),
    given("a[] b[m,n]"),
    given("a[k,1,n] b[m,1]", large={"k": 35, "m": 2, "n": 2300}),
    given("a[] b[]"),
]


def forward(a, b):
    return a * b


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    stretched = (i + added for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=(*range(added), *stretched)).reshape(shape)


def mul_broadcast_backward(g, a, b):
    return unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)


@mistake(
    "unbroadcast-before",
    "the sum over copies can be taken before multiplying by the other operand",
    "Multiply element by element first, sum over the copies second. Is the other operand constant along the "
    "summed axis?",
)
def mul_broadcast_backward(g, a, b):
    def averaged(partner, shape):
        copies = g.size / max(1, int(np.prod(shape)))
        return unbroadcast(np.broadcast_to(partner, g.shape), shape) / copies if copies else np.zeros(shape)

    return (
        (unbroadcast(g, a.shape) * averaged(b, a.shape)).astype(a.dtype),
        (unbroadcast(g, b.shape) * averaged(a, b.shape)).astype(b.dtype),
    )


@mistake(
    "no-unbroadcast",
    "a gradient has the shape of the output",
    "Compare the shapes of what you return with a.shape and b.shape.",
)
def mul_broadcast_backward(g, a, b):
    return g * b, g * a


@mistake(
    "own-operand",
    "an operand's slope is the operand itself",
    "Hold b fixed: what is the derivative of out with respect to a?",
)
def mul_broadcast_backward(g, a, b):
    return unbroadcast(g * a, a.shape), unbroadcast(g * b, b.shape)


@mistake(
    "product-of-sums",
    "the sum of a product is the product of the sums",
    "Is 1*3 + 2*4 the same as (1+2)*(3+4)? Multiply first, sum over the copies second.",
)
def mul_broadcast_backward(g, a, b):
    return (
        unbroadcast(g, a.shape) * unbroadcast(np.broadcast_to(b, g.shape), a.shape),
        unbroadcast(g, b.shape) * unbroadcast(np.broadcast_to(a, g.shape), b.shape),
    )


@mistake(
    "mean-over-copies",
    "the gradients of an element's copies are averaged",
    "Move an element that was copied n times. How many outputs move?",
)
def mul_broadcast_backward(g, a, b):
    def averaged(d, shape):
        d = d.mean(axis=tuple(range(d.ndim - len(shape)))) if d.size else d.sum(axis=tuple(range(d.ndim - len(shape))))
        axes = tuple(i for i, n in enumerate(shape) if n == 1)
        return d.mean(axis=axes, keepdims=True) if d.size else d.sum(axis=axes, keepdims=True)

    return averaged(g * b, a.shape), averaged(g * a, b.shape)


@mistake(
    "first-copy",
    "the gradient of a copied element is the gradient of its first copy",
    "Move an element that was copied n times. How many outputs move?",
)
def mul_broadcast_backward(g, a, b):
    def of_first_copy(g, shape):
        if not g.size:
            return np.zeros(shape, g.dtype)
        g = g[(0,) * (g.ndim - len(shape))]
        return g[tuple(slice(1) if n == 1 else slice(None) for n in shape)].copy()

    return of_first_copy(g * b, a.shape), of_first_copy(g * a, b.shape)


@mistake(
    "smaller-only",
    "NumPy broadcasts only the smaller of the two arrays",
    "a has the shape (3, 1) and b has the shape (1, 2). Which of the two was copied?",
)
def mul_broadcast_backward(g, a, b):
    if a.size < b.size:
        return unbroadcast(g * b, a.shape), g * a
    return g * b, unbroadcast(g * a, b.shape)


@mistake(
    "aligned-left",
    "NumPy aligns the first axes of two shapes",
    "a has the shape (3,) and b has the shape (3, 3). Along which axis of the output was a copied?",
)
def mul_broadcast_backward(g, a, b):
    def summed(g, shape):
        padded = shape + (1,) * (g.ndim - len(shape))
        return g.sum(axis=tuple(i for i, n in enumerate(padded) if n == 1 != g.shape[i])).reshape(shape)

    return summed(g * b, a.shape), summed(g * a, b.shape)


@mistake(
    "axis-by-axis",
    "a later axis keeps its number when an earlier axis is summed",
    "Sum an array of shape (2, 3, 4) over axis 0 without keepdims. Which number does the axis of size 4 have now?",
)
def mul_broadcast_backward(g, a, b):
    def summed(g, shape):
        g = g.sum(axis=tuple(range(g.ndim - len(shape))))
        for axis, n in enumerate(shape):
            if n == 1:
                g = g.sum(axis=min(axis, g.ndim - 1))
        return g.reshape(shape)

    return summed(g * b, a.shape), summed(g * a, b.shape)


@mistake(
    "size-for-shape",
    "a gradient with as many elements as the input also has the input's shape",
    "An array of shape (2, 1) was broadcast to (1, 2, 1). Which shape does your code return?",
)
def mul_broadcast_backward(g, a, b):
    def summed(g, shape):
        return g if g.size == np.prod(shape) > 0 else unbroadcast(g, shape)

    return summed(g * b, a.shape), summed(g * a, b.shape)
