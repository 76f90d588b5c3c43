"""A product of two functions of x, so two terms:

    out' = Φ(x) + x · φ(x),    φ(x) = Φ'(x) = exp(-x²/2) / √(2π)

φ follows by the chain rule: erf'(u) = 2/√π · exp(-u²) at u = x/√2, so u² is x²/2; times 1/2 from Φ and 1/√2 from
the inner function. It is the bell curve, as the derivative of a distribution function has to be.

Check it at the ends: the slope is 1/2 at 0 and tends to 1 far to the right, to 0 far to the left. Unlike ReLU's it is
not monotone: near x = -0.75 it crosses 0, where GELU has its minimum, and at x = -1 it is negative; so a GELU unit that
is slightly off can still be pushed.

Cost: an erf, an exp and ten other operations an element; the forward takes the erf and four. x is kept. It cannot be
had from `out`, since each value between the minimum, -0.17, and 0 is taken at two x with different slopes.

PyTorch: `GeluBackward0` keeps x and computes this formula. `approximate="tanh"`, which GPT-2 used, is another function
with a derivative of its own: the values differ by at most about 4.7e-4, the slopes by about 8.7e-4. At x = ±∞ the
gradient is NaN, from ∞ · 0, as it is here.

Asked next:

- Where is the slope largest? → The second derivative is φ(x)(2 - x²), so at x = √2, where the slope is 1.129; at x =
  -√2 it is smallest, -0.129. So GELU can amplify a gradient a little, which ReLU cannot.
- In float32 this code's slope at x = -6 is 3% off: where did the digits go, and does it matter? → There erf rounds to
  -1, so 1 + erf is 0 where Φ is 1e-9; `erfc(-x/√2)/2` keeps the digits. The absolute error, 1e-9, is far below the
  rounding of a slope near 1.
- And the backward of SiLU, x · σ(x)? → The same product rule, with σ' = σ(1 - σ): the slope is σ(x) · (1 + x(1 -
  σ(x))). That takes one exponential and no erf.
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
    given("x[12]", x=[0.0, 1.0, -1.0, 10.0, -10.0, -0.75, 30.0, 3.5, 5.5, -5.5, 6.0, -6.0], note="from tail to tail"),
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
