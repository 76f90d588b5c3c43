"""To the right of 0 the slope is 1. To the left of 0 it is alpha · exp(x). The output contains this exponential:

    out = alpha · exp(x) - alpha,    so    alpha · exp(x) = out + alpha

At x = 0 the slope jumps from alpha to 1, unless alpha is 1. The task takes the slope of the left branch there.

Cost: one comparison, one addition and one product per element. The forward takes an exponential. x is needed only for
its sign, and out has the same sign, so an in-place ELU saves only its output.

PyTorch: `EluBackward0` saves x and computes alpha · exp(x). After `elu_`, `EluBackward1` saves the output and computes
out + alpha. At x = 0 both give the slope alpha.

Asked next:

- Far to the left, which of out + alpha and alpha · exp(x) is more accurate? → alpha · exp(x) keeps its digits. In
  float32, out rounds to -alpha for x below about -17, so out + alpha is 0. The absolute error of this 0 is below the
  rounding error of alpha.
- Why does PyTorch refuse the backward of `elu_` for a negative alpha? → With a negative alpha, out is positive on the
  left too. The sign of out then does not tell which branch was used.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise, mistake

HINTS = (
    "On the left, which part of `out` is its own derivative?",
    "The slope on the left is alpha · exp(x). Add alpha to the output to get this slope.",
    "Choose the slope by the sign of x: 1 on the right, and `out + ...` on the left.",
)
CASES = elementwise(at=[1.0, -1.0, 0.01, -0.01, -30.0], kinks=[0.0], alpha=[1.0, 0.5, 2.0])
EQUIVALENT = {"operand: x > 0 -> out > 0": "out has the sign of x"}
MISTAKES = [
    edit(
        "out-only",
        "exp(x) - 1 is its own derivative",
        "At x = -1, is out negative? Is the slope negative?",
        "out + alpha -> out",
    ),
    edit(
        "out-plus-one",
        "alpha is 1",
        "Which number must you add to `out` to get alpha · exp(x)?",
        "out + alpha -> out + 1",
    ),
    edit(
        "alpha-not-in-out",
        "to the left of 0, `out` is exp(x) - 1, without alpha",
        "To the left of 0, how far is `out` above its limit of -alpha? Is alpha still a factor of this difference?",
        "out + alpha -> alpha * (out + 1)",
    ),
    edit(
        "zero-left",
        "ELU is constant on the left, as ReLU is",
        "Does `out` change if x moves from -1 to -2?",
        "out + alpha -> 0",
    ),
    edit("right-at-0", "the slope at 0 is 1", "Which slope does the task ask for at x = 0?", "x > 0 -> x >= 0"),
    edit(
        "slope-alpha",
        "the left branch is the line alpha · x, as in a leaky ReLU",
        "Is the left branch straight?",
        "out + alpha -> alpha",
    ),
    edit(
        "near-the-kink",
        "a value near 0 is 0",
        "Is 1e-9 equal to 0? Which branch of the forward does it take?",
        "x > 0 -> (x > 0) & ~np.isclose(x, 0)",
    ),
    edit(
        "clipped",
        "an x below -4 may be replaced by -4",
        "What is alpha · exp(x) at x = -7, and what is it at x = -4?",
        "out + alpha -> np.maximum(out + alpha, alpha * np.exp(-4).astype(x.dtype))",
    ),
]
forward = engine.elu


def elu_backward(g, x, out, alpha):
    return g * np.where(x > 0, 1, out + alpha)


@mistake(
    "exponential-on-the-right",
    "exp(x) does no harm where x is positive, because a factor of 0 removes it",
    "What is exp(1000) in floating point, and what is 0 times that number?",
)
def elu_backward(g, x, out, alpha):
    right = (x > 0).astype(x.dtype)
    return g * (right + (1 - right) * alpha * np.exp(x))
