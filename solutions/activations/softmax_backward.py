"""Along the axis, ∂out_i/∂x_j = out_i (δ_ij - out_j). Multiply by g_i and sum over i:

    dx_j = Σ_i g_i out_i (δ_ij - out_j) = out_j (g_j - Σ_i g_i out_i)

The n x n Jacobian has collapsed into one dot product a row. This line is also the heart of attention's backward pass,
where the dot product is the per-row scalar that FlashAttention precomputes.

Two checks: raising all logits together changes nothing, so dx sums to 0 along the axis; and a g that is constant along
the axis gives dx = 0, because the outputs sum to 1.

Cost: two multiplications, a subtraction and an addition an element: O(n) work and memory a row, where the Jacobian
would take O(n²). The output is all that is kept, neither x nor the exponentials.

PyTorch: `SoftmaxBackward0` keeps the result and computes this line. A logit of -∞ among finite ones has probability 0
and, for finite g, gradient 0; a row of nothing but -∞ is NaN, forward and backward. Where
`torch.nn.functional.scaled_dot_product_attention` composes its answer from matrix products it takes a variant,
`SafeSoftmaxBackward0`, with zeros for such a row.

Asked next:

- What is the JVP of softmax? → The Jacobian of a row, diag(p) - p pᵀ, is symmetric, so it is the same line with the
  tangent in the place of g.
- And the backward of log_softmax, from its output? → Now ∂out_i/∂x_j = δ_ij - p_j with p = exp(out), so dx is g - p · Σ
  g along the axis. The sum is of g alone.
- Why not compute cross-entropy as the logarithm of a softmax? → If the right class's probability rounds to 0, the
  logarithm's slope is infinite, and infinity times 0 is NaN. From log_softmax the same gradient is p minus the one-hot
  label, finite for any finite logits.
- softmax(x/T) with a learned temperature T: what is dT? → With d the gradient of x/T, dx is d/T and dT is -Σ d·x / T².
  Adding a constant to all of x does not change it, since d sums to 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    (
        "Raising one logit raises its own probability and lowers all others: the Jacobian is not diagonal. What "
        "are its entries?"
    ),
    "J_ij = p_i (δ_ij - p_j). Multiply by g and sum: everything but one dot product a row disappears.",
    "`out * (g - (...).sum(axis=axis, keepdims=True))`: what is inside the sum is a product of two arrays.",
)
CASES = [
    # A Jacobian of rows this long takes gigabytes.
    given("x[n,m]", axis=-1, empty=False, large={"n": 3, "m": 16000}),
    given("x[n,m]", axis=0, empty=False),
    given("x[k,n,m]", axis=1, empty=False),
    given("x[k,n,m]", axis=-2, empty=False),
    given("x[n]", axis=-1, empty=False),
    given("x[n,m]", axis=-1, x=normal(1000), smooth=False, empty=False, large=False, note="probabilities of 0 and 1"),
    given("x[n,m]", axis=-1, x=[[1.0, 1.0, 1.0], [0.0, 2.0, 2.0]], large=False, note="ties"),
    given("x[n,m]", axis=-1, g=1.0, empty=False, large=False, note="constant cotangent"),
]


def forward(x, axis=-1):
    return engine.softmax(x, axis=axis)


def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=axis, keepdims=True))


@mistake(
    "diagonal-only",
    "each output depends on its own logit only, as with a sigmoid",
    "Raise one logit: what happens to the other probabilities?",
)
def softmax_backward(g, out, axis=-1):
    return g * out * (1 - out)


@mistake(
    "no-subtract",
    "the slope is the output itself",
    "A constant g must give 0, since the outputs always sum to 1. Does yours?",
)
def softmax_backward(g, out, axis=-1):
    return g * out


@mistake("sum-wrong-axis", "the coupling runs along another axis", "Which axis was normalised?")
def softmax_backward(g, out, axis=-1):
    other = (axis + 1) % g.ndim
    return out * (g - (g * out).sum(axis=other, keepdims=True))


@mistake(
    "sum-g-only",
    "the plain sum of g is subtracted",
    "Write the Jacobian p_i (δ_ij - p_j): with which weights do the g_i enter the sum?",
)
def softmax_backward(g, out, axis=-1):
    return out * (g - g.sum(axis=axis, keepdims=True))


@mistake("last-axis", "the axis is always the last one", "Which argument of your function do you never use?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=-1, keepdims=True))


@mistake("first-axis", "the axis is always the first one", "Which argument of your function do you never use?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=0, keepdims=True))


@mistake("whole-sum", "one sum serves the whole array", "How many separate softmaxes are in an (n, m) array?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum())


@mistake(
    "weights-outside",
    "the sum is subtracted as it is",
    "dx must sum to 0 along the axis. Does yours? What multiplies the bracket, and where does it close?",
)
def softmax_backward(g, out, axis=-1):
    return out * g - (out * g).sum(axis=axis, keepdims=True)


@mistake("mean-not-sum", "the weighted mean of g is `mean(g * out)`", "The weights sum to 1 already: sum or mean?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).mean(axis=axis, keepdims=True))


@mistake("plus", "the other outputs rise too", "Raise one logit: do the other probabilities rise or fall?")
def softmax_backward(g, out, axis=-1):
    return out * (g + (g * out).sum(axis=axis, keepdims=True))


@mistake("softmax-again", "`out` still has to go through softmax", "What does `out` hold already?")
def softmax_backward(g, out, axis=-1):
    e = np.exp(out)
    p = e / e.sum(axis=axis, keepdims=True)
    return p * (g - (g * p).sum(axis=axis, keepdims=True))


@mistake(
    "divided-by-output",
    "the slope of a logarithm, 1 over the output, is in it",
    "A logit far below the others has an output of 0: does it move any output? And what does yours say?",
)
def softmax_backward(g, out, axis=-1):
    return (g - (g * out).sum(axis=axis, keepdims=True)) / out
