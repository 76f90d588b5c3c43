"""The chain rule gives the sigmoid σ:

    out' = exp(x) / (1 + exp(x)) = 1 / (1 + exp(-x)) = σ(x)

The slope is 1/2 at 0. It tends to 1 on the right and to 0 on the left, so softplus is a smooth form of ReLU.

The first quotient is ∞/∞ for large x, because exp(x) overflows. In the second quotient, exp(-x) overflows for x far
below 0. The result 1/∞ = 0 is right, but NumPy warns. Neither problem occurs with log σ(x) = -log(1 + exp(-x)), which
is -softplus(-x). `np.logaddexp(0, -x)` computes this softplus without an overflow.

Cost: one logaddexp, one exponential and three other operations per element. The forward takes one logaddexp. Only x is
saved.

PyTorch: `SoftplusBackward0` saves x, beta = 1 and threshold = 20. `F.softplus` returns x itself if beta · x exceeds the
threshold, and the gradient there is exactly g. The error of this shortcut is at most 2.1e-9. In float32, rounding hides
this error. In float64, the error is visible.

Asked next:

- What is the slope of softplus with a parameter β, log(1 + exp(βx))/β? → σ(βx). The inner factor β and the outer factor
  1/β cancel. For β → ∞ the slope becomes the step of ReLU.
- Only `out` was saved. How do you compute the slope? → 1 - exp(-out), because exp(out) is 1 + exp(x). For small out use
  `-np.expm1(-out)`. At x = -30 in float64, 1 - exp(-out) has a relative error of 2e-4, because the difference cancels.
- A network outputs a standard deviation softplus(x), which must start at 0.01. Which x gives 0.01? → x = log(exp(0.01)
  - 1) = -4.6. The slope there is 1 - exp(-0.01) = 0.00995.
- What is the gradient of logsigmoid? → logsigmoid(x) is -softplus(-x), so its slope is σ(-x). The two minus signs
  cancel.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise

HINTS = (
    "Differentiate the logarithm, then exp(x). Which well-known function is the quotient?",
    "The slope is the sigmoid. Its logarithm is -softplus(-x), which can be computed without an overflow.",
    "Use `np.logaddexp(0, ...)` for softplus at -x, and take the exponential of its negative.",
)
CASES = elementwise(at=[0.0, 1.0, -1.0, 5.0, -5.0, 25.0])
MISTAKES = [
    edit(
        "exp-on-the-left",
        "for negative x the slope is exp(x)",
        "What is the slope at x = 0? Which value does your formula for negative x approach there?",
        "np.exp(-np.logaddexp(0, -x)) -> np.where(x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)))",
    ),
    edit(
        "complement-on-the-right",
        "for positive x the slope is 1 - exp(-x)",
        "What is the slope at x = 0? Which value does your formula for positive x approach there?",
        "np.exp(-np.logaddexp(0, -x)) -> np.where(x > 0, -np.expm1(-np.abs(x)), np.exp(-np.logaddexp(0, -x)))",
    ),
    edit(
        "naive-exp",
        "exp(x) is finite for every x",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "np.exp(-np.logaddexp(0, -x)) -> np.exp(x) / (1 + np.exp(x))",
    ),
    edit(
        "sigmoid-prime",
        "the slope of softplus is the slope of the sigmoid",
        "Far to the right softplus is nearly x. What slope does your code give there?",
        "return ... -> s = np.exp(-np.logaddexp(0, -x)); return g * s * (1 - s)",
    ),
    edit(
        "step",
        "the slope is 0 or 1, as for ReLU",
        "Is softplus constant between -1 and 0?",
        "np.exp(-np.logaddexp(0, -x)) -> (x > 0)",
    ),
    edit(
        "output-as-slope",
        "softplus is its own derivative",
        "How large is softplus at x = 5, and how fast does it grow there?",
        "np.exp(-np.logaddexp(0, -x)) -> np.logaddexp(0, x)",
    ),
    edit(
        "no-inner",
        "the slope of log(1 + exp(x)) is 1/(1 + exp(x))",
        "How fast does 1 + exp(x) move when x moves?",
        "(0, -x) -> (0, x)",
    ),
    edit(
        "tanh-not-halved",
        "σ(x) is (1 + tanh(x))/2",
        "Write tanh(u) as a quotient of exponentials. Which u turns (1 + tanh(u))/2 into σ(x)?",
        "np.exp(-np.logaddexp(0, -x)) -> (1 + np.tanh(x)) / 2",
    ),
    edit(
        "threshold",
        "softplus is exactly x above 20, as in PyTorch",
        "How far below 1 is the slope at x = 25? Does the task's forward have a threshold?",
        "np.exp(-np.logaddexp(0, -x)) -> np.where(x > 20, 1, np.exp(-np.logaddexp(0, -x)))",
    ),
    edit(
        "clipped",
        "an x beyond ±10 may be replaced by ±10",
        "Which slope does your code have at x = -20? Which value does the slope approach far to the left?",
        "(0, -x) -> (0, -np.clip(x, -10, 10))",
    ),
]
forward = engine.softplus


def softplus_backward(g, x):
    return g * np.exp(-np.logaddexp(0, -x))
