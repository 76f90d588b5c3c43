"""Along the axis, the Jacobian of softmax is ∂out_i/∂x_j = out_i (δ_ij - out_j). Multiply by g_i and sum over i:

    dx_j = Σ_i g_i out_i (δ_ij - out_j) = out_j (g_j - Σ_i g_i out_i)

For a row of n logits, the product with the n x n Jacobian reduces to one dot product. The same formula is the core of
attention's backward. FlashAttention computes the dot product of each row in advance.

Two checks follow. Adding a constant to all logits does not change the output, so dx sums to 0 along the axis. The
outputs sum to 1, so a g that is constant along the axis gives dx = 0.

Cost: two multiplications, one subtraction and one addition per element. A row of n logits takes O(n) work and memory,
whereas its Jacobian would take O(n²). Only the output is saved. Backward needs neither x nor the exponentials.

PyTorch: `SoftmaxBackward0` saves the result and computes this formula. A logit of -∞ among finite ones has probability
0 and, for finite g, gradient 0. A row that contains only -∞ gives NaN, both in the forward and in backward.
`torch.nn.functional.scaled_dot_product_attention` sometimes composes its result from matrix products and a softmax. The
node of this softmax is `SafeSoftmaxBackward0`, which gives zeros for a row of only -∞.

Asked next:

- What is the JVP of softmax? → The Jacobian of a row, diag(p) - p pᵀ, is symmetric. The JVP of softmax is therefore the
  same formula with the tangent in place of g.
- What is the backward of log_softmax, given its output? → With p = exp(out), ∂out_i/∂x_j = δ_ij - p_j. So dx is g - p ·
  Σ g, with an unweighted sum of g along the axis.
- Why is cross-entropy not computed as the logarithm of a softmax? → If the right class's probability rounds to 0, the
  logarithm's slope is infinite, and infinity times 0 is NaN. With log_softmax the same gradient is p minus the one-hot
  label, which is finite for finite logits.
- softmax(x/T) has a learned temperature T. What is dT? → Let d be the gradient with respect to x/T. Then dx is d/T, and
  dT is -Σ d·x / T². Adding a constant to x does not change dT, because d sums to 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    (
        "Raising one logit raises its own probability and lowers all others, so the Jacobian is not diagonal. What "
        "are its entries?"
    ),
    "J_ij = p_i (δ_ij - p_j). Multiply by g_i and sum over i. The whole matrix reduces to one dot product per row.",
    "Write `out * (g - (...).sum(axis=axis, keepdims=True))`. The dots stand for a product of two arrays.",
)
CASES = [
    given("x[n,m]", axis=-1),
    given("x[n,m]", axis=0),
    given("x[k,n,m]", axis=1),
    given("x[l,k,n,m]", axis=-3),
    given("x[n]", axis=-1),
    given("x[n,m]", axis=-1, x=normal(1000), smooth=False, large=False, note="probabilities of 0 and 1"),
    given("x[n,m]", axis=-1, x=[[1.0, 1.0, 1.0], [0.0, 2.0, 2.0]], large=False, note="ties"),
    given("x[n,m]", axis=-1, g=1.0, large=False, note="constant cotangent"),
]


def forward(x, axis=-1):
    return engine.softmax(x, axis=axis)


def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=axis, keepdims=True))


@mistake(
    "diagonal-only",
    "each output depends only on its own logit, as in a sigmoid",
    "Raise one logit: what happens to the other probabilities?",
)
def softmax_backward(g, out, axis=-1):
    return g * out * (1 - out)


@mistake(
    "no-subtract",
    "the slope of softmax is the output itself",
    "The outputs always sum to 1, so a constant g must give 0. Does your code give 0?",
)
def softmax_backward(g, out, axis=-1):
    return g * out


@mistake("sum-wrong-axis", "softmax normalised along another axis", "Along which axis do the outputs sum to 1?")
def softmax_backward(g, out, axis=-1):
    other = (axis + 1) % g.ndim
    return out * (g - (g * out).sum(axis=other, keepdims=True))


@mistake(
    "sum-g-only",
    "g is summed without weights",
    "The Jacobian is p_i (δ_ij - p_j). With which weights do the g_i enter the sum?",
)
def softmax_backward(g, out, axis=-1):
    return out * (g - g.sum(axis=axis, keepdims=True))


@mistake("last-axis", "the axis is always the last axis", "Which argument does your function never use?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=-1, keepdims=True))


@mistake("first-axis", "the axis is always the first axis", "Which argument does your function never use?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=0, keepdims=True))


@mistake("whole-sum", "one sum is enough for the whole array", "How many separate softmaxes are in an (n, m) array?")
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum())


@mistake(
    "weights-outside",
    "the factor `out` multiplies only g, not the sum",
    "dx must sum to 0 along the axis. Does your dx? Which terms does the factor `out` multiply?",
)
def softmax_backward(g, out, axis=-1):
    return out * g - (out * g).sum(axis=axis, keepdims=True)


@mistake(
    "mean-not-sum",
    "the weighted mean of g is `mean(g * out)`",
    "The weights, `out`, already sum to 1. Do you need a sum or a mean?",
)
def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).mean(axis=axis, keepdims=True))


@mistake(
    "plus",
    "raising one logit raises the other outputs too",
    "Raise one logit: do the other probabilities rise or fall?",
)
def softmax_backward(g, out, axis=-1):
    return out * (g + (g * out).sum(axis=axis, keepdims=True))


@mistake("softmax-again", "`out` holds the logits", "Read the task again: what does `out` hold?")
def softmax_backward(g, out, axis=-1):
    e = np.exp(out)
    p = e / e.sum(axis=axis, keepdims=True)
    return p * (g - (g * p).sum(axis=axis, keepdims=True))


@mistake(
    "divided-by-output",
    "the slope has the factor 1/out, as for a logarithm",
    "One logit is far below the others. If it moves, does any output change? Which dx does your code give that logit?",
)
def softmax_backward(g, out, axis=-1):
    return (g - (g * out).sum(axis=axis, keepdims=True)) / out


@mistake(
    "log-softmax",
    "the forward computed the logarithm of softmax",
    "The gradient of log softmax sums g without weights. Which weights does softmax need?",
)
def softmax_backward(g, out, axis=-1):
    return g - out * g.sum(axis=axis, keepdims=True)


@mistake(
    "moved-back-wrong-way",
    "the call that moved the axis to the end also moves it back",
    "Let axis be 0 and x of shape (2, 3, 4). What shapes does x have after one and after two of your moves?",
)
def softmax_backward(g, out, axis=-1):
    g, p = np.moveaxis(g, axis, -1), np.moveaxis(out, axis, -1)
    return np.moveaxis(p * (g - (g * p).sum(axis=-1, keepdims=True)), axis, -1)


@mistake(
    "jacobian",
    "multiplying by the Jacobian requires building it",
    "How many entries does the Jacobian of a row of 50,000 logits have? How many numbers do you return?",
)
def softmax_backward(g, out, axis=-1):
    p, h = np.moveaxis(out, axis, -1), np.moveaxis(g, axis, -1)
    J = p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])
    return np.moveaxis((J @ h[..., None])[..., 0], -1, axis).copy()
