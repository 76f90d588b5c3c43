"""As a function of x, PReLU is a leaky ReLU. Its slope is 1 for x > 0 and alpha_c elsewhere:

    dx_ncl = g_ncl for x_ncl > 0,    dx_ncl = alpha_c g_ncl elsewhere

On the left branch, the output is alpha_c · x_ncl, and its derivative with respect to alpha_c is x_ncl. On the right
branch, the output does not depend on alpha_c. All elements of a channel share alpha_c, so the gradient of alpha_c is a
sum over the examples and the positions:

    dalpha_c = Σ g_ncl x_ncl    over all n and l with x_ncl < 0

This is the sum of g · min(x, 0), which needs no selection. An element with x = 0 contributes 0 in any case.

Before you multiply by alpha, give alpha an axis for the positions: (C, 1) broadcasts to (N, C, L). A plain (C,) would
be aligned with the last axis.

Two checks follow. If a channel has only positive inputs, its dalpha is 0. In each channel, alpha_c · dalpha_c equals
the sum of x · dx over the elements with x ≤ 0, because both sides are Σ g · alpha_c · x.

Cost: one comparison, one selection, two products, one minimum and one addition per element. The forward takes one
comparison, one product and one selection. For dx the sign of x is enough, but dalpha needs the values, so x is saved.

PyTorch: `PreluKernelBackward0` saves x and alpha in the shape (1, C, 1). Its kernel first writes each element's
contribution to the gradient of alpha, as an array of the shape of x. A sum then reduces this array to C numbers.
`nn.PReLU()` has one alpha for all channels. This alpha starts at 0.25.

Asked next:

- Why should weight decay not act on alpha? → Weight decay pulls alpha to 0, and PReLU with alpha = 0 is ReLU.
- Can PReLU run in place and save only its output? → In general, no. For alpha = 0 the output has lost the negative
  inputs, which dalpha needs. For alpha < 0 the sign of the output does not tell which branch was used. PyTorch has no
  in-place form.
- All channels share one alpha. What changes? → The sum also runs over the channels. The result is the sum of the
  gradients that separate alphas would get.
- The batch is split into two halves. How do their gradients of alpha combine? → They add up if both losses are sums. If
  each loss is a mean over its half, the gradient of the mean over the batch is the average of both gradients.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, mistake, uniform

HINTS = (
    "How far does `out` move if one element of x moves? Which elements of `out` move if alpha[c] moves, and how far?",
    "dx is g times 1 or alpha. Each entry of dalpha is the sum of g · x over the elements with x ≤ 0 in its channel.",
    "Give alpha a second axis with `alpha[:, None]`. Sum `g * np.minimum(...)` over the axes that share an alpha.",
)


def with_zeros(rng, shape, _):
    return rng.choice([-2.0, -0.5, 0.0, 1.0], shape)


OFF_ZERO = away_from_zero()
CASES = [
    given("x[N,C,L] alpha[C]", x=OFF_ZERO),
    given("x[N,C,C] alpha[C]", x=OFF_ZERO, alpha=uniform(1.5, 3), large=False, note="slopes above 1"),
    given("x[N,1,L] alpha[1]", x=OFF_ZERO, alpha=0.25, large=False, note="one channel"),
    given("x[1,C,1] alpha[C]", x=OFF_ZERO, large=False, note="one example, one position"),
    given("x[N,C,L] alpha[C]", x=uniform(1, 9), large=False, note="positive inputs"),
    given("x[N,C,L] alpha[C]", x=with_zeros, smooth=False, large=False, note="zeros"),
    given("x[1,1,4] alpha[1]", x=[[[1e-3, -1e-3, 1e-9, -1e-9]]], smooth=False, note="inputs near 0"),
    given("x[1,1,3] alpha[1]", x=[[[1e8, -0.5, 3e8]]], smooth=False, note="small negative and large positive inputs"),
]
MISTAKES = [
    edit(
        "dalpha-all",
        "each output depends on alpha",
        "Does an output with x > 0 move when alpha moves?",
        "np.minimum(x, 0) -> x",
    ),
    edit(
        "dalpha-not-reduced",
        "only the examples share an alpha",
        "alpha has one number per channel. Which axes of x share it?",
        "axis=(0, 2) -> axis=0",
    ),
    edit(
        "dalpha-mean",
        "alpha receives the mean of its elements' contributions",
        "Each element adds its own change to the loss. Is the total a sum or a mean?",
        ".sum( -> .mean(",
    ),
    edit(
        "one-total",
        "all channels share one alpha",
        "How many numbers does alpha hold? Over which axes must you not sum?",
        ".sum(axis=(0, 2)) -> .sum() + 0 * alpha",
    ),
    edit(
        "dalpha-right-branch",
        "alpha multiplies the positive inputs",
        "Which branch of the forward contains alpha?",
        "np.minimum(x, 0) -> np.maximum(x, 0)",
    ),
    edit(
        "dalpha-no-x",
        "the derivative of alpha · x with respect to alpha is 1",
        "How far does alpha · x move when alpha moves by 1 and x is -3?",
        "np.minimum(x, 0) -> (x <= 0)",
    ),
    edit(
        "dalpha-through-dx",
        "the gradient of alpha is the sum of dx · x",
        (
            "Which factor does dx contain on the left branch? Is this factor part of the derivative of alpha · x with "
            "respect to alpha?"
        ),
        "(g * np.minimum(x, 0)) -> (dx * np.minimum(x, 0))",
    ),
    edit("kink-one", "the slope at 0 is 1", "Which slope does the task ask for at x = 0?", "(x > 0, g -> (x >= 0, g"),
    edit(
        "zero-negative",
        "a negative input receives no gradient, as in ReLU",
        "Does `out` change if x moves from -1 to -2?",
        "alpha[:, None] * g -> 0",
    ),
    edit(
        "max-form",
        "PReLU is max(x, alpha · x) for any alpha",
        "Let alpha be 2 and x be 1. What is the maximum, and what does the task's formula give?",
        "dx = np.where(x > 0 -> dx = np.where(x > alpha[:, None] * x",
    ),
    edit(
        "dx-by-x",
        "the slope on the left branch is alpha · x",
        "What is the derivative of alpha · x with respect to x?",
        "alpha[:, None] * g -> alpha[:, None] * x * g",
    ),
    edit(
        "max-form-in-dalpha-too",
        "PReLU is max(x, alpha · x) for any alpha",
        "Let alpha be 2 and x be 1. What is the maximum, and what does the task's formula give?",
        "x > 0 -> x > alpha[:, None] * x",
        "np.minimum(x, 0) -> np.where(x > alpha[:, None] * x, 0, x)",
    ),
    edit(
        "sign-of-output",
        "the output has the sign of the input",
        "Let alpha be -2 and x be -1. Which sign does the output have, and which branch was taken?",
        "x > 0 -> np.where(x > 0, x, alpha[:, None] * x) > 0",
        "np.minimum(x, 0) -> np.where(np.where(x > 0, x, alpha[:, None] * x) > 0, 0, x)",
    ),
    edit(
        "sign-of-output-in-dx",
        "the output has the sign of the input",
        "Let alpha be -2 and x be -1. Which sign does the output have, and which branch was taken?",
        "x > 0 -> np.where(x > 0, x, alpha[:, None] * x) > 0",
    ),
    edit(
        "near-the-kink",
        "a value near 0 is 0",
        "Is 1e-9 equal to 0? Which branch of the forward does it take?",
        "x > 0 -> (x > 0) & ~np.isclose(x, 0)",
    ),
    edit(
        "total-minus-positive",
        "the sum over the negative elements is accurate as a difference of two larger sums",
        "The positive elements are near 1e8. How many digits of the negative part survive the subtraction?",
        "(g * np.minimum(x, 0)).sum(axis=(0, 2)) -> (g * x).sum(axis=(0, 2)) - (g * np.maximum(x, 0)).sum(axis=(0, 2))",
    ),
]


def forward(x, alpha):
    return engine.prelu(x, alpha)


def prelu_backward(g, x, alpha):
    dx = np.where(x > 0, g, alpha[:, None] * g)
    dalpha = (g * np.minimum(x, 0)).sum(axis=(0, 2))
    return dx, dalpha


@mistake(
    "branch-per-channel",
    "the sign of the mean of a channel chooses its branch",
    "Is the branch chosen once for a channel, or once for each element?",
)
def prelu_backward(g, x, alpha):
    right = x.mean(axis=(0, 2), keepdims=True) > 0
    return np.where(right, g, alpha[:, None] * g), np.where(right, 0, g * x).sum(axis=(0, 2))
