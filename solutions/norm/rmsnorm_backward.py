"""Let r stand for `rrms`, x̂ = x·r for the normalised row, and h = g·gamma for the gradient of x̂. gamma is broadcast
over all rows, so its gradient is a sum over the rows: dgamma = Σ g·x̂.

Within a row, x̂_i = x_i·r. Each x_j moves x̂_j directly. Each x_j also moves r, and r scales the whole row. With r =
(mean(x²) + eps)^(-1/2), the slope of r is

    ∂r/∂x_j = -1/2 · r³ · 2 x_j/D = -r² x̂_j/D

Multiply the derivative of x̂_i by h_i and sum over i:

    dx_j = r h_j - r² x̂_j/D · Σ_i h_i x_i = r (h_j - x̂_j · mean(h x̂))

The subtracted term removes the part of h along x̂. Doubling a row moves the output only through eps. So dx is
orthogonal to x up to eps. This property can be tested in one line. The bracket is not an exact projection, because eps
keeps mean(x̂²) below 1. Dividing by Σ x̂² instead of D would ignore eps. For a row of zeros, x̂ is 0, r is 1/√eps =
1000, and dx is 1000·h.

The backward of layer norm also subtracts the mean of h. That term belongs to the path through the row's mean. RMSNorm
does not subtract the mean in the forward, so shifting a row moves the output, and dx does not sum to 0.

Cost: one mean per row, one sum over the rows, and a few products per element. Together these steps take O(D) per row,
as in the forward. The forward saves x and one number per row. One product per element gives x̂ again, so x̂ need not be
saved.

PyTorch: on the CPU, `F.rms_norm` consists of elementwise operations and a mean. The graph saves x, r and x·r. In
bfloat16 the whole computation runs in float32, and the saved copies of x and x·r are float32. The operator
`_fused_rms_norm`, which serves CUDA, returns r as a second output. Its backward reads only x, r and the weight. With
`eps=None`, float32 and bfloat16 inputs use eps = 1.2e-7, the spacing of float32 numbers at 1. Llama 2 uses 1e-5, so
pass eps explicitly when you compare.

Asked next:

- D is 1. What are the output and dx? → x̂ is the sign of x up to eps, so dx is nearly 0. Here h - x̂·h·x̂ = h (1 -
  x̂²), and 1 - x̂² = eps·r². So dx = eps·r³·h.
- x is multiplied by 100. What happens to dx? → Up to eps, x̂ stays the same and r shrinks to a hundredth, so dx shrinks
  to a hundredth. If the residual stream is large, each block therefore sends only a small gradient back into it.
- The gain is stored as w with gamma = 1 + w, as in Gemma. What changes? → dw equals dgamma, because the derivative of
  gamma with respect to w is 1. dx uses 1 + w. With this form, weight decay pulls the gain towards 1 and not towards 0.
- How would you test dx without finite differences? → Take the dot product of dx and x for each row. This product is
  eps·r³·Σ h x exactly, and therefore nearly 0. The test catches a missing projection, but not a wrong factor such as a
  missing r.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "x_j moves its own entry of the output. Through which number does x_j also move every other entry of its row?",
    "Let h = g·gamma and x̂ = x·rrms. Subtract x̂ times mean(h·x̂) from h. Then multiply by rrms.",
    "Start with `xhat = x * rrms` and `h = g * gamma`. Then `dx = rrms * (h - xhat * ...)`, with one mean per row.",
)
EPS = 1e-6
CASES = [
    given("x[n,d>=5] gamma[d]"),
    given("x[2,k,n,4] gamma[4]"),
    given("x[7] gamma[7]", note="one row"),
    given("x[n,1] gamma[1]", note="rows of one element"),
    given("x[n,6] gamma[6]", x=normal(1e4), note="entries near ±10,000"),
    given("x[n,3] gamma[3]", x=normal(1e-3), note="entries near ±0.001"),
    given("x[2,3] gamma[3]", x=[[0.0, 0.0, 0.0], [3.0, 0.0, -4.0]], note="a row of zeros"),
]


def forward(x, gamma):
    return engine.rms_norm(x, weight=gamma, eps=EPS)


def saved(x, gamma):
    return {"rrms": 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPS)}


def rmsnorm_backward(g, x, rrms, gamma):
    xhat = x * rrms
    h = g * gamma
    along = (h * xhat).mean(axis=-1, keepdims=True)
    dx = rrms * (h - xhat * along)
    dgamma = (g * xhat).reshape(-1, x.shape[-1]).sum(axis=0)
    return dx, dgamma


MISTAKES = [
    edit(
        "rms-constant",
        "the root mean square is a constant",
        "If you double a row, does the output move? Is your dx orthogonal to x?",
        "rrms * (h - xhat * along) -> rrms * h",
    ),
    edit(
        "sum-not-mean",
        "the forward takes the root of the sum of squares, not of their mean",
        "If one of D numbers moves by 1, how far does their mean move?",
        "xhat).mean( -> xhat).sum(",
    ),
    edit(
        "layernorm-mean-term",
        "RMSNorm subtracts the mean of the row, as layer norm does",
        "If you shift a whole row, does the output of RMSNorm stay the same?",
        "(h - xhat * along) -> (h - h.mean(axis=-1, keepdims=True) - xhat * along)",
    ),
    edit(
        "power-two",
        "the slope of u^(-1/2) is -1/2·u^(-1), so the subtracted term has the factor rrms²",
        "Which power of u is left if you differentiate u^(-1/2)? How many factors of rrms does this power give?",
        "rrms * (h - xhat * along) -> rrms * h - xhat * (h * x).mean(axis=-1, keepdims=True) * rrms",
    ),
    edit(
        "no-rrms",
        "dx does not depend on the root mean square",
        "Stretch x by 10. By which factor does the slope of the output change?",
        "rrms * (h -> (h",
    ),
    edit(
        "gamma-missing",
        "gamma does not affect the gradient of x",
        "out is x̂ times gamma. What is the gradient of x̂ if the gradient of out is g?",
        "g * gamma -> g",
    ),
    edit(
        "gamma-outside",
        "the multiplication by gamma can wait until the end",
        "gamma varies along the axis of the mean. Is the mean of a product the product of the means?",
        "g * gamma -> g",
        "(h - xhat * along) -> (h - xhat * along) * gamma",
    ),
    edit(
        "dgamma-uses-x",
        "gamma multiplies x itself",
        "What does gamma multiply in the forward: x, or x divided by its root mean square?",
        "(g * xhat) -> (g * x)",
    ),
    edit(
        "whole-mean",
        "one mean is enough for the whole array",
        "How many root mean squares did the forward compute, and over which elements?",
        "xhat).mean(axis=-1, keepdims=True) -> xhat).mean()",
    ),
    edit(
        "first-axis-only",
        "only the first axis holds rows",
        "What shapes may x have? Over which axes was gamma broadcast?",
        "(g * xhat).reshape(-1, x.shape[-1]).sum(axis=0) -> (g * xhat).sum(axis=0)",
    ),
    edit(
        "plus",
        "the term along x̂ has a plus sign",
        "If you double a whole row, the output hardly moves. Is your dx orthogonal to x?",
        "h - xhat * along -> h + xhat * along",
    ),
    edit(
        "projection-without-gamma",
        "the term along x̂ contains g, not g·gamma",
        "Which gradient reaches x̂: g or g·gamma? Which of the two does your mean contain?",
        "(h * xhat).mean -> (g * xhat).mean",
    ),
    edit(
        "first-term-without-gamma",
        "gamma enters dx only through the term along x̂",
        "Which gradient reaches x̂: g or g·gamma? Which of the two is the first term of your dx?",
        "rrms * (h - -> rrms * (g -",
    ),
    edit(
        "gamma-twice-in-projection",
        "the mean in dx contains gamma twice",
        "How many times does the forward multiply by gamma? How many times does your mean contain gamma?",
        "(h * xhat).mean -> (h * gamma * xhat).mean",
    ),
    edit(
        "projection-onto-output",
        "dx removes the part along the output",
        "Double a row: along which direction does x̂ not move, along x or along the output?",
        "xhat * along -> xhat * gamma * along",
    ),
]


@mistake(
    "eps-ignored",
    "mean(x̂²) is exactly 1, so the term along x̂ is an exact projection",
    "Take a row of zeros, or a row with entries near 0.001. What is mean(x̂²) there?",
)
def rmsnorm_backward(g, x, rrms, gamma):
    xhat = x * rrms
    h = g * gamma
    along = (h * xhat).sum(axis=-1, keepdims=True) / (xhat * xhat).sum(axis=-1, keepdims=True)
    return rrms * (h - xhat * along), (g * xhat).reshape(-1, x.shape[-1]).sum(axis=0)
