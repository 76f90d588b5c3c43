"""GELU is the product of x and Φ(x), so its derivative has two terms:

    out' = Φ(x) + x · φ(x),    φ(x) = Φ'(x) = exp(-x²/2) / √(2π)

The chain rule gives φ. The derivative of erf is erf'(u) = 2/√π · exp(-u²), and at u = x/√2 the exponent is -x²/2.
Φ(x) = (1 + erf(x/√2))/2 contributes the factor 1/2, and the inner function x/√2 contributes 1/√2. The result φ is the
density of the standard normal distribution.

Three values serve as a check: the slope is 1/2 at 0, and it tends to 1 far to the right and to 0 far to the left.
Unlike ReLU's slope, GELU's slope is not monotone. GELU's slope crosses 0 near x = -0.75, at GELU's minimum, and is
negative at x = -1. A GELU unit with a slightly negative input therefore still receives a gradient.

Cost: one erf, one exp and ten other operations per element. The forward takes one erf and four other operations. x is
saved. `out` cannot replace x: GELU takes each value between -0.17 (its minimum) and 0 at two different x, and the
slopes at these two x differ.

PyTorch: `GeluBackward0` saves x and computes this formula. The option `approximate="tanh"`, which GPT-2 used, selects a
different function with its own derivative. The values of the two functions differ by at most about 4.7e-4, and the
slopes by at most about 8.7e-4. At x = ±∞ the gradient is NaN in PyTorch and in this code, because both compute ∞ · 0.

Asked next:

- Where is the slope largest? → The second derivative is φ(x)(2 - x²). The slope is therefore largest at x = √2, where
  it is 1.129, and smallest at x = -√2, where it is -0.129. So GELU can amplify a gradient slightly, and ReLU cannot.
- In float32 this code's slope at x = -6 is wrong by 3%. What causes this error, and does the error matter? → At x = -6,
  erf(x/√2) rounds to -1, so 1 + erf is 0 although Φ is 1e-9. Computing Φ as `erfc(-x/√2)/2` keeps the digits. The
  absolute error, 1e-9, is far below the rounding error of a slope near 1.
- What is the backward of SiLU, x · σ(x)? → The same product rule with σ' = σ(1 - σ) gives the slope σ(x) · (1 + x(1 -
  σ(x))). This slope needs one exponential and no erf.
"""

import math

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "x appears twice in x · Φ(x). What does the product rule give?",
    "The slope is Φ plus x times the normal density φ. Differentiate erf(x/√2) with the chain rule to find φ.",
    "Compute `cdf` with the given erf and `pdf` with `np.exp(-x * x / 2)`. Then write the result in one line.",
)
EMPTY = True
CASES = [
    given("x[n,m]"),
    given(
        "x[16]",
        x=[0.0, 1.0, -1.0, 10.0, -10.0, -0.75, 30.0, 3.5, 5.5, -5.5, 6.0, -6.0, 4.5, -4.5, 7.0, -7.0],
        note="from tail to tail",
    ),
]


def forward(x):
    return engine.gelu(x)


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu_backward(g, x):
    cdf = (1 + erf(x / math.sqrt(2))) / 2
    pdf = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * (cdf + x * pdf)


@mistake("phi-only", "the gate Φ does not depend on x", "Raise x: does the gate Φ(x) stay the same?")
def gelu_backward(g, x):
    return g * (1 + erf(x / math.sqrt(2))) / 2


@mistake("no-x", "the second term of the product rule is only φ", "(x·Φ)' = 1·Φ + x·Φ': which factor multiplies Φ'?")
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + np.exp(-x * x / 2) / math.sqrt(2 * math.pi))


@mistake(
    "erf-density",
    "the argument of erf is x, not x/√2",
    "What is the argument of erf in Φ, and what is the square of that argument?",
)
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x) / math.sqrt(math.pi))


@mistake(
    "density-only",
    "only Φ depends on x",
    "Far to the right GELU is the identity. What slope does your code give there?",
)
def gelu_backward(g, x):
    return g * x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@mistake("inner-slope", "the chain rule stops at erf", "Let u = x/√2. How fast does u move when x moves?")
def gelu_backward(g, x):
    return g * ((1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(math.pi))


@mistake(
    "tanh-approximation",
    "the forward used the tanh approximation of GELU",
    "The formula with tanh approximates Φ. Which formula did this forward use?",
)
def gelu_backward(g, x):
    slope = math.sqrt(2 / math.pi)
    t = np.tanh(slope * (x + 0.044715 * x**3))
    return g * ((1 + t) / 2 + x * (1 - t * t) / 2 * slope * (1 + 3 * 0.044715 * x**2))


@mistake(
    "sigmoid-approximation",
    "the forward computed x times the sigmoid of 1.702 x",
    "The formula with σ approximates Φ. Which formula did this forward use?",
)
def gelu_backward(g, x):
    s = 1 / (1 + np.exp(-1.702 * x))
    return g * (s + 1.702 * x * s * (1 - s))


@mistake(
    "relu-tails",
    "beyond ±4 the slope is that of ReLU",
    "How far below 0 is the slope at x = -4.5? Is that within rounding?",
)
def gelu_backward(g, x):
    cdf = (1 + erf(x / math.sqrt(2))) / 2
    slope = cdf + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * np.where(x > 4, 1, np.where(x < -4, 0, slope)).astype(x.dtype)


@mistake(
    "clipped",
    "an x beyond ±4 may be replaced by ±4",
    "Which slope does your code have at x = 7, and which does it have at x = 4?",
)
def gelu_backward(g, x):
    x = np.clip(x, -4, 4)
    cdf = (1 + erf(x / math.sqrt(2))) / 2
    return g * (cdf + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))
