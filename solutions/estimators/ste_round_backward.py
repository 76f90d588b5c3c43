"""The estimator's backward is that of the identity: dx = g. It is *not* the gradient of the forward. Rounding is a
staircase, flat on the steps and without a derivative at their edges. A gradient check of the estimator must fail, by
design.

Averaged over the position of x within a step, moving x by h moves round(x) by h. From a distance the staircase
therefore looks like the identity, which is why the estimator works at all. The forward stays exactly quantised.

A weight beyond the representable range still receives the gradient g, although its rounded value no longer changes.
Variants therefore pass g only inside a window. (Hinton's lectures, 2012; Bengio, Léonard and Courville, 2013.)

Cost: nothing is computed, and nothing need be saved, not even x. A variant with a window saves a mask or x.

PyTorch: `torch.round` itself sends back 0. The estimator needs no custom function: in
`x + (torch.round(x) - x).detach()` the detached part counts as a constant, and nothing is saved. For finite x the value
is exactly the rounded one, except for the sign of a zero; an infinity becomes NaN.
`torch.fake_quantize_per_tensor_affine` is a variant with a window. It saves a mask of booleans and passes g where the
rounded number is in range.

Asked next:

- With a step size s, out = s · round(x / s). What is ds? → Take the slope of round as 1 in the product and quotient
  rules. Each element gives g · (round(x / s) - x / s), which is g times its rounding error in steps. ds is the sum of
  these, and dx is still g.
- Does training store the rounded or the unrounded weights? → The unrounded ones. If training stored the rounded
  weights, every update of less than half a step would be rounded away, so small updates could never add up.
- Is it an unbiased estimate of anything? → Add noise u, uniform between -1/2 and 1/2, before rounding. Then the mean of
  out is x, so for a loss that is linear in out the estimator is right on average. For the loss out² it is not: at 0 <
  x < 1 the mean loss is x, with slope 1, but the mean of the estimator is 2x.
- How do you test it if a gradient check must fail? → Test two statements separately: out is round(x), and dx is g, bit
  for bit. A numerical check applies only to the identity, which the estimator puts in place of the forward.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Which function does the estimator put in place of the forward, and what is that function's derivative?",
    "The identity has slope 1 everywhere, so backward multiplies, masks and rounds nothing.",
    "You need only one of the two arguments.",
)
MAY_ALIAS = True
CASES = [
    given("x[n,m]", x=normal(3)),
    given("x[6]", x=[0.5, -0.5, 2.0, 1.49, 200.0, -2000.5], note="at the edges of steps, and far from 0"),
]


def forward(x):
    # Both oracles differentiate the surrogate, not the rounding: its derivative is the expected result.
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
    "rounds-gradient", "the gradient is quantised as well", "What does the forward round, and what does it not round?"
)
def ste_round_backward(g, x):
    return np.round(g)


@mistake(
    "times-round",
    "the slope is the output",
    "Which function does the estimator put in place of round? How steep is it?",
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
    "window", "only weights near 0 pass the gradient", "That is a variant for sign. Does the task mention a window?"
)
def ste_round_backward(g, x):
    return np.where(np.abs(x) <= 1, g, 0)
