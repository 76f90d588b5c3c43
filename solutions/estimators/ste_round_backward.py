"""The estimator's backward is that of the identity: dx = g. It is *not* the gradient of the forward, which is a
staircase: flat on the steps, undefined at their edges. A gradient check of it must fail; that is the point.

Why it works at all: averaged over where x lies within a step, moving x by h moves round(x) by h. Seen from far away
the staircase is the identity. The forward stays exactly quantised.

A weight beyond the range that can be represented keeps being pushed although nothing changes any more, hence the
variants that pass g only inside a window. (Hinton's lectures, 2012; Bengio, Léonard and Courville, 2013.)

Cost: Nothing is computed, and nothing need be kept, not even x. A variant with a window keeps a mask, or x.

PyTorch: `torch.round` itself sends back 0. The estimator needs no custom function: what is detached in
`x + (torch.round(x) - x).detach()` counts as a constant, and nothing is saved. For finite x the value is exactly the
rounded one, but for the sign of a zero; an infinity becomes NaN. `torch.fake_quantize_per_tensor_affine` is a variant
with a window: it saves a mask of booleans and passes g where the rounded number is in range.

Asked next:

- With a step size, out = s · round(x / s): what is ds? → Take the slope of round as 1 in the product and the quotient
  rule: each element gives g · (round(x / s) - x / s), its rounding error in steps, and ds is their sum. dx is still g.
- Which weights does training store, the rounded or the unrounded ones? → The unrounded. From a rounded weight an update
  of less than half a step would be rounded away each time, and small updates could never add up.
- Is it an unbiased estimate of anything? → Add noise u, uniform between -1/2 and 1/2, before rounding. Then the mean of
  out is x, so for a loss that is linear in out the estimator is right on average. For out² it is not: at 0 < x < 1 the
  mean loss is x, of slope 1, and the mean of the estimator is 2x.
- How do you test it, if a gradient check must fail? → Test the two halves apart: out is round(x), and dx is g, bit for
  bit. What may be checked numerically is the function it pretends, the identity.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Which function does the estimator pretend the forward to have been, and what is that function's derivative?",
    "The identity has slope 1 everywhere, so nothing is multiplied, masked or rounded on the way back.",
    "Of the two arguments only one is needed.",
)
MAY_ALIAS = True
CASES = [
    given("x[n,m]", x=normal(3)),
    given("x[6]", x=[0.5, -0.5, 2.0, 1.49, 200.0, -2000.5], note="at the edges of steps, and far out"),
]


def forward(x):
    # The surrogate, not the rounding: its derivative is the answer, in both oracles.
    return engine.positive(x)


def ste_round_backward(g, x):
    return g


@mistake(
    "true-derivative",
    "a backward pass must return the true derivative",
    "Correct calculus, and useless: what does a weight do whose gradient is always 0? What does the estimator pretend?",
)
def ste_round_backward(g, x):
    return np.zeros_like(g)


@mistake("rounds-gradient", "the gradient is quantised as well", "What is rounded on the way forward, and what is not?")
def ste_round_backward(g, x):
    return np.round(g)


@mistake("times-round", "the slope is the output", "Which function is pretended? How steep is that one?")
def ste_round_backward(g, x):
    return g * np.round(x)


@mistake("times-input", "the slope is the input", "The slope of out = x: is it x?")
def ste_round_backward(g, x):
    return g * x


@mistake("window", "only weights near 0 are passed through", "That is a variant for sign. Does the task have a window?")
def ste_round_backward(g, x):
    return np.where(np.abs(x) <= 1, g, 0)
