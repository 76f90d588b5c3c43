"""Let y stand for `out` and n for `norm` of one row, so y_i = x_i/n. Each x_j moves y_j directly. Each x_j also moves
n, which divides the whole row. The slope of n = √(Σ x²) is

    ∂n/∂x_j = x_j/n = y_j

The quotient rule gives ∂y_i/∂x_j = (δ_ij - y_i y_j)/n, with δ_ij = 1 if i = j, and 0 otherwise. Multiply by g_i and sum
over i:

    dx_j = (g_j - y_j · Σ_i g_i y_i)/n

The sum is the length of the part of g along y, because y has length 1. The bracket removes this part. So dx is
orthogonal to x: if x only gets longer or shorter, y does not move at all. What remains is divided by n, because a step
of fixed length turns a long vector by a smaller angle than a short one.

A row of one element has y = ±1, and its dx is 0: a sign does not change under small moves.

Cost: one dot product per row, and a product, a difference and a quotient per element. The forward takes one dot product
per row and a quotient per element. x is not needed. If the next layer saves its input, y is kept in any case. The
normalisation then adds only one number per row to the saved memory.

PyTorch: `F.normalize(x, dim=-1)` divides by max(norm, 1e-12). The function is made of a norm, a clamp and a division.
Its graph saves x and the norm, but not y. A row shorter than 1e-12 is divided by the constant 1e-12, so its gradient is
1e12·g without the projection. With `x / x.norm(dim=-1, keepdim=True)`, a row of zeros gives NaN in the forward and in
the gradient. In float32 a row with entries of 1e25 has an infinite norm, because squares above 3.4e38 overflow.

Asked next:

- Gradient descent runs on x, and the loss reads only y. What happens to the length of x? → Each step is orthogonal to
  x, so |x - lr·dx|² = |x|² + lr²·|dx|². The length never shrinks. A longer x turns less in each step, so the effective
  learning rate falls. Weight decay counteracts this growth.
- Two unit vectors are compared by c = y·z. What is the gradient of c with respect to x? → The gradient is (z -
  c·y)/|x|, with the length √(1 - c²)/|x|. The gradient vanishes if z is parallel or opposite to x. If two vectors
  should become similar but are exactly opposite, the gradient gives no direction in which to turn x.
- The loss uses c/τ with a temperature τ = 0.05. What changes in dx? → Both g and dx are 20 times as large. The
  projection stays the same.
- What is the JVP for the tangent v of x? → The Jacobian (I - y yᵀ)/n is symmetric, so the JVP is (v - y (y·v))/n, the
  same function with v in place of g.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, mistake, normal

HINTS = (
    "Stretch a row to twice its length. Does out move? What does this say about dx along that row?",
    "Remove from g its part along out. Then divide by the norm, because a long row turns more slowly.",
    "The part along out is out times one dot product per row: `(g * out).sum(...)` with `keepdims=True`.",
)
CASES = [
    given("x[n,d>=4]"),
    given("x[2,k,n,3]"),
    given("x[5]", note="one row"),
    given("x[n,1]", x=away_from_zero(0.5), note="rows of one element"),
    given("x[n,3]", x=normal(1e6), note="rows of length 1e6"),
    given("x[n,3]", x=normal(1e-6), note="rows of length 1e-6"),
    given("x[2,3]", x=[[3.0, 0.0, -4.0], [0.0, 0.5, 0.0]], note="entries of 0"),
]


def forward(x):
    return x / engine.norm(x, axis=-1, keepdims=True)


def saved(x):
    return {"norm": np.linalg.norm(x, axis=-1, keepdims=True)}


def l2_normalize_backward(g, out, norm):
    along = (g * out).sum(axis=-1, keepdims=True)
    return (g - out * along) / norm


MISTAKES = [
    edit(
        "norm-constant",
        "the norm is a constant",
        "If you stretch a row, does out move? Is your dx orthogonal to x?",
        "(g - out * along) -> g",
    ),
    edit(
        "no-1/norm",
        "dx does not depend on the length of x",
        "Move the tip of a long arrow and of a short arrow by 1 cm. Which arrow turns further?",
        "(g - out * along) / norm -> g - out * along",
    ),
    edit(
        "sum-not-projected",
        "the dot product of g and out is subtracted from each entry of g",
        "The part of g along out is a vector. In which direction does it point?",
        "- out * along -> - along",
    ),
    edit(
        "rms-norm",
        "the row was divided by its root mean square",
        "Which one is equal to 1: the sum of the squares of out, or their mean?",
        "* out).sum( -> * out).mean(",
    ),
    edit(
        "plus",
        "the part along out is added to g",
        "If you stretch a row, out does not move. Is your dx orthogonal to out?",
        "g - out -> g + out",
    ),
    edit(
        "elementwise",
        "each entry of out depends only on the same entry of x",
        "If you enlarge one entry of a row, what do the other entries of out do?",
        "(g * out).sum(axis=-1, keepdims=True) -> g * out",
    ),
    edit(
        "squared-norm",
        "the quotient rule leaves the square of the norm",
        "Stretch x by 10. By which factor does the slope of out change?",
        ") / norm -> ) / norm**2",
    ),
    edit(
        "whole-sum",
        "one dot product is enough for the whole array",
        "How many norms did the forward compute, and over which elements?",
        "sum(axis=-1, keepdims=True) -> sum()",
    ),
    edit(
        "one-axis",
        "the rows run along axis 1",
        "x may have one axis or three. Along which axis did the forward take the norm?",
        "sum(axis=-1, keepdims=True) -> sum(axis=min(1, g.ndim - 1), keepdims=True)",
    ),
    edit(
        "eps-added",
        "a small number must be added to the norm, in case it is 0",
        "The norm of a row may be 1e-6, and it is never 0. By how many percent does your added number change 1/norm?",
        ") / norm -> ) / (norm + 1e-8)",
    ),
    edit(
        "norm-bounded",
        "a norm below a small bound may be replaced by this bound",
        "The norm of a row may be 1e-6. Is your bound smaller than every norm that the task allows?",
        ") / norm -> ) / np.maximum(norm, 1e-5)",
    ),
    edit(
        "unit-vector-in-the-quotient-rule",
        "the formula g/norm - x(g·x)/norm³ holds with out in the place of both x",
        "x is out times norm. Which power of norm is left if you insert this into x(g·x)/norm³?",
        "(g - out * along) / norm -> g / norm - out * along / norm**3",
    ),
    edit(
        "norm-too-often",
        "the formula g/norm - x(g·x)/norm³ holds with out in the place of one x",
        "x is out times norm. Which power of norm is left if you insert this into x(g·x)/norm³?",
        "(g - out * along) / norm -> g / norm - out * along / norm**2",
    ),
    edit(
        "norm-multiplies",
        "a longer row has a larger gradient",
        "Move the tip of a long arrow and of a short arrow by 1 cm. Which arrow turns further?",
        ") / norm -> ) * norm",
    ),
]


@mistake(
    "x-for-y",
    "x can take the place of the unit vector in the projection",
    "The part of g along x cannot be longer than g. How long is x times g·x if x is very long?",
)
def l2_normalize_backward(g, out, norm):
    x = out * norm
    return (g - x * (g * x).sum(axis=-1, keepdims=True)) / norm


@mistake(
    "one-x-for-y",
    "the derivative of the norm with respect to x_j is x_j",
    "Double x: does the derivative of its norm double too? What is the derivative of √u?",
)
def l2_normalize_backward(g, out, norm):
    x = out * norm
    return (g - x * (g * out).sum(axis=-1, keepdims=True)) / norm
