"""The straight-through estimator (STE) uses the backward of the identity: dx = g. This dx is *not* the gradient of the
forward. Rounding is a staircase, which is flat on each step and has no derivative at the edges. A gradient check of the
estimator therefore fails by design.

On average over all positions of x within a step, moving x by h moves round(x) by h. From a distance the staircase
therefore looks like the identity, which is why the estimator works at all. The forward stays exactly quantised.

A weight beyond the representable range still receives the gradient g, although its rounded value no longer changes.
Some variants therefore pass g only if x is inside a window. (Hinton's lectures, 2012; Bengio, Léonard and Courville,
2013.)

Cost: backward computes nothing, and the forward saves nothing, not even x. A variant with a window saves either a mask
or x.

PyTorch: The backward of `torch.round` returns 0. The estimator needs no custom function: in `x + (torch.round(x) -
x).detach()` the detached part counts as a constant, and nothing is saved. For finite x the value is exactly round(x),
except for the sign of a zero. An infinite x becomes NaN. `torch.fake_quantize_per_tensor_affine` is a variant with a
window. It saves a boolean mask and passes g only if the rounded number is in range.

Asked next:

- Suppose out = s · round(x / s) with a step size s. What is the gradient ds? → Use slope 1 for round in the product and
  quotient rules. Each element contributes g · (round(x / s) - x / s), which is g times the element's rounding error in
  steps. ds is the sum of these contributions, and dx is still g.
- Does training store the rounded or the unrounded weights? → Training stores the unrounded weights. If training stored
  the rounded weights, every update of less than half a step would be rounded away, so small updates could never add up.
- Is dx = g an unbiased estimate of anything? → Add noise u, uniform between -1/2 and 1/2, before rounding. Then the
  mean of out is x, so the estimator is right on average for a loss that is linear in out. For the loss out² the
  estimator is biased. At 0 < x < 1 the mean loss is x, with slope 1, but the mean of the estimator is 2x.
- How do you test the estimator if a gradient check must fail? → Test two statements separately: out is exactly
  round(x), and dx is exactly g. A numerical check applies only to the identity, which the estimator puts in place of
  the forward.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Which function does the estimator put in place of the forward, and what is that function's derivative?",
    "The identity has slope 1 everywhere, so backward multiplies, masks and rounds nothing.",
    "Backward needs only one of its two arguments.",
)
MAY_ALIAS = True
EMPTY = True
CASES = [
    given("x[n,m]", x=normal(3)),
    given("x[6]", x=[0.5, -0.5, 2.0, 1.49, 200.0, -2000.5], note="at the edges of steps, and far from 0"),
]


def forward(x):
    # Both oracles differentiate the surrogate, not the rounding. The surrogate's derivative is the expected result.
    return engine.positive(x)


def ste_round_backward(g, x):
    return g


@mistake(
    "true-derivative",
    "backward must return the true derivative",
    "The calculus is right, but a weight with gradient 0 never moves. What does the estimator put in place of round?",
)
def ste_round_backward(g, x):
    return np.zeros_like(g)


@mistake(
    "rounds-gradient",
    "the gradient is quantised as well",
    "The forward rounds x. Does the estimator round anything else?",
)
def ste_round_backward(g, x):
    return np.round(g)


@mistake(
    "times-round",
    "the slope is the output",
    "Which function does the estimator put in place of round? What is the slope of that function?",
)
def ste_round_backward(g, x):
    return g * np.round(x)


@mistake(
    "times-input",
    "the slope is the input",
    "The estimator treats the forward as out = x. Is x the slope of that function?",
)
def ste_round_backward(g, x):
    return g * x


@mistake(
    "window",
    "only weights near 0 pass the gradient",
    "Some estimators for `sign` stop the gradient outside a window of x. Does the task mention a window?",
)
def ste_round_backward(g, x):
    return np.where(np.abs(x) <= 1, g, 0)


@mistake(
    "by-distance",
    "the gradient fades as x moves away from an integer",
    "The estimator treats the forward as out = x. Does the slope of this function depend on x?",
)
def ste_round_backward(g, x):
    return g * (1 - np.abs(x - np.round(x)))


@mistake(
    "rounding-error-as-slope",
    "the slope is the rounding error",
    "The estimator treats the forward as out = x. What is the slope of this function?",
)
def ste_round_backward(g, x):
    return g * (np.round(x) - x)


@mistake(
    "wide-window",
    "the gradient stops outside the range of an 8-bit integer",
    "Some quantisers clamp x first. Does this forward clamp anything?",
)
def ste_round_backward(g, x):
    return np.where(np.abs(x) <= 127, g, 0)


@mistake(
    "positive-only",
    "only positive numbers pass the gradient, as in ReLU",
    "The estimator treats the forward as out = x. What is its slope at x = -2?",
)
def ste_round_backward(g, x):
    return np.where(x > 0, g, 0)


@mistake(
    "stops-at-halves",
    "the gradient stops near the steps of the rounding",
    "The estimator pretends that there are no steps. Which slope does it use at x = 0.5?",
)
def ste_round_backward(g, x):
    return np.where(np.abs(x - np.floor(x) - 0.5) < 0.1, 0, g)


@mistake(
    "integers-only",
    "the gradient passes only if x is already an integer",
    "With your rule, how many weights get the gradient 0? Which function does the estimator put in place of round?",
)
def ste_round_backward(g, x):
    return np.where(x == np.round(x), g, 0)


@mistake(
    "error-added",
    "the rounding error is added to the gradient",
    "x + stop_gradient(round(x) - x) describes the forward. What is the derivative of this sum with respect to x?",
)
def ste_round_backward(g, x):
    return g + np.round(x) - x


@mistake(
    "input-added",
    "the straight-through gradient is g plus x",
    "If g is 0, the loss does not depend on out. What must dx be then?",
)
def ste_round_backward(g, x):
    return g + x


@mistake(
    "rounds-again",
    "backward returns the rounded input",
    "`g` is dL/dout. Where does your result use it?",
)
def ste_round_backward(g, x):
    return np.round(x)


@mistake(
    "stops-at-jumps",
    "no gradient passes exactly at a jump of the rounding",
    "The estimator pretends that the forward was out = x. Does this function jump at x = 0.5?",
)
def ste_round_backward(g, x):
    return np.where(x - np.floor(x) == 0.5, 0, g)


@mistake(
    "half-at-jumps",
    "half of the gradient passes at a jump of the rounding",
    "The estimator pretends that the forward was out = x. What is the slope of this function at x = 0.5?",
)
def ste_round_backward(g, x):
    return np.where(x - np.floor(x) == 0.5, g / 2, g)


@mistake(
    "zero-output-stops",
    "no gradient passes if x is rounded to 0",
    "A weight of 0.3 has the output 0. With your rule, can this weight ever leave its interval?",
)
def ste_round_backward(g, x):
    return np.where(np.round(x) == 0, 0, g)


@mistake(
    "times-sign",
    "the slope has the sign of x",
    "The estimator pretends that the forward was out = x. What is the slope of this function at x = -2?",
)
def ste_round_backward(g, x):
    return g * np.sign(x)
