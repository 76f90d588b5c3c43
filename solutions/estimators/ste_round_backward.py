"""The estimator's backward is that of the identity: dx = g. It is *not* the gradient of the forward, which is a
staircase: flat on the steps, undefined at their edges. A gradient check of it must fail; that is the point.

Why it works at all: averaged over where x lies within a step, moving x by h moves round(x) by h. Seen from far away
the staircase is the identity. The estimate is biased, and the forward stays exactly quantised.

In PyTorch it is written without a custom function, `x + (torch.round(x) - x).detach()`: the value is the rounded one,
and what is detached counts as a constant. A weight beyond the range that can be represented keeps being pushed
although nothing changes any more, hence the variants that pass g only inside a window. (Hinton's lectures, 2012;
Bengio, Léonard and Courville, 2013.)
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
    given("x[4]", x=[0.5, -0.5, 2.0, 1.49], note="at and near the edges of steps"),
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
