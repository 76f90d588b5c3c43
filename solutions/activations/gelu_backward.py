"""A product of two functions of x, so two terms:

    out' = Φ(x) + x · φ(x),    φ(x) = Φ'(x) = exp(-x²/2) / √(2π)

φ follows by the chain rule: erf'(u) = 2/√π · exp(-u²) at u = x/√2, so u² is x²/2; times 1/2 from Φ and 1/√2 from
the inner function. It is the bell curve, as the derivative of a distribution function has to be.

Check it at the ends: the slope is 1/2 at 0, 1 far to the right, 0 far to the left. Unlike ReLU's it is not monotone:
near x = -0.75 it crosses 0, where GELU has its minimum, and at x = -1 it is negative; so a GELU unit that is slightly
off can still be pushed.

An erf and an exp an element; x is kept. `torch.nn.functional.gelu` does the same; its `approximate="tanh"`, which
GPT-2 used, is another function, up to 5e-4 away, with a derivative of its own.
"""

import math

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "x stands in x · Φ(x) twice. What does the product rule make of that?",
    "Φ plus x times the density φ of the normal; differentiate erf(x/√2) carefully and the density appears.",
    "Two named intermediates, `cdf` with the given erf and `pdf` with `np.exp(-x * x / 2)`; then one line.",
)
CASES = [
    given("x[n,m]"),
    given("x[7]", x=[0.0, 1.0, -1.0, 10.0, -10.0, -0.75, 30.0], note="from tail to tail"),
]


def forward(x):
    return engine.gelu(x)


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu_backward(g, x):
    cdf = (1 + erf(x / math.sqrt(2))) / 2
    pdf = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * (cdf + x * pdf)


@mistake("phi-only", "Φ is a gate that does not depend on x", "Raise x: does the gate Φ(x) stay where it is?")
def gelu_backward(g, x):
    return g * (1 + erf(x / math.sqrt(2))) / 2


@mistake(
    "no-x", "the second term of the product rule is φ alone", "(u·v)' = u'·v + u·v': which factor is left in u·v'?"
)
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + np.exp(-x * x / 2) / math.sqrt(2 * math.pi))


@mistake(
    "erf-density",
    "the derivative of erf may be taken at x, without the 1/√2 inside",
    "What is the argument of erf here, and what is its square?",
)
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x) / math.sqrt(math.pi))


@mistake("density-only", "only Φ depends on x", "Far to the right GELU is the identity. What slope do you get there?")
def gelu_backward(g, x):
    return g * x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@mistake("inner-slope", "the chain rule stops at erf", "u = x/√2: how fast does u move when x does?")
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(math.pi))


@mistake(
    "tanh-approximation",
    "GELU is the formula with tanh",
    "The formula with tanh approximates Φ. Which of the two did this forward compute?",
)
def gelu_backward(g, x):
    slope = math.sqrt(2 / math.pi)
    t = np.tanh(slope * (x + 0.044715 * x**3))
    return g * ((1 + t) / 2 + x * (1 - t * t) / 2 * slope * (1 + 3 * 0.044715 * x**2))


@mistake(
    "sigmoid-approximation",
    "GELU is x times the sigmoid of 1.702 x",
    "The formula with σ approximates Φ. Which of the two did this forward compute?",
)
def gelu_backward(g, x):
    s = 1 / (1 + np.exp(-1.702 * x))
    return g * (s + 1.702 * x * s * (1 - s))
