"""Let t = tanh(u), so that out = x/2 · (1 + t). Both factors depend on x, and tanh has the slope 1 - t². The product
rule and the chain rule give

    out' = (1 + t)/2 + x/2 · (1 - t²) · u'        u' = √(2/π) · (1 + 3 · 0.044715 · x²)

The factor (1 + t)/2 approximates the normal distribution function Φ(x), and the second term approximates x · φ(x) with
the normal density φ. Still, differentiate the formula that the forward computed. The slopes of the two GELUs differ by
at most 8.7e-4, at x = ±2.02.

At 0 the slope is 1/2. The smallest slope is -0.129, at x = -1.418. The largest slope is 1.129, at x = 1.418.

Cost: one tanh and about 18 other operations per element. The forward takes one tanh and eight other operations. Only x
is saved. If the forward saves t too, backward needs no tanh, but one more array is stored and read.

PyTorch: `F.gelu(x, approximate="tanh")` records the same node as the exact GELU, `GeluBackward0`. The node saves x and
the name of the approximation, and computes the tanh again. For float16 the node computes in float32 and rounds once. At
x = ±∞ the gradient is NaN, because 1 - t² is 0 and u' is ∞.

Asked next:

- Why does `out` equal x · σ(2u)? → (1 + tanh(u))/2 is σ(2u), where σ is the sigmoid. With s = σ(2u) the slope is s · (1
  + x · (1 - s) · 2u'), which has the form of SiLU's slope. The shorter approximation x · σ(1.702 x) replaces 2u by
  1.702 x.
- Where does 0.044715 come from? → This constant makes the largest error of the approximate Φ nearly as small as
  possible. This error is 1.8e-4. Matching the Taylor series at 0 instead would give (4 - π)/(6π) = 0.0455.
- A checkpoint was trained with the tanh form. Does the exact GELU give the same outputs? → Not exactly: the functions
  differ by up to 4.7e-4. In bfloat16, the two forms give different numbers for a third of the evenly spaced inputs
  between -6 and 6. Use the form that the training used.
- Your formula runs in float16 without a conversion. What is the slope at x = 300? → NaN. The square 90,000 exceeds
  65,504, the largest float16. So u' is ∞, 1 - t² is 0, and their product is NaN. The right slope is 1.
"""

import math

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise, mistake

HINTS = (
    "x appears as a factor and inside tanh. Which two terms does the product rule give?",
    "The slope of tanh(u) is 1 - tanh(u)², times the slope of u. u contains x³, which must be differentiated as well.",
    "Compute `t` and `du`, the slope of u. The result is g times the sum of `(1 + t) / 2` and `x / 2 * ...`.",
)
CASES = elementwise(at=[0.0, 1.0, -1.0, -0.7525, 2.0, -2.0, 2.7, -5.0])
MISTAKES = [
    edit("no-three", "the slope of x³ is x²", "What is the derivative of x³?", "3 * 0.044715 -> 0.044715"),
    edit(
        "no-cube", "u is linear in x", "Does u grow by the same amount for each unit step of x?", "du = ... -> du = c"
    ),
    edit(
        "no-inner",
        "the derivative of tanh(u) with respect to x is 1 - tanh(u)²",
        "How fast does u move when x moves?",
        "(1 - t**2) * du -> (1 - t**2)",
    ),
    edit(
        "no-root",
        "the slope of u does not contain √(2/π)",
        "u is a constant times a sum. What happens to the constant when you differentiate?",
        "du = c * -> du =",
    ),
    edit("no-square", "the slope of tanh is 1 - tanh", "What is the slope of tanh at t = -1?", "t**2 -> t"),
    edit(
        "gate-only",
        "the gate (1 + t)/2 does not depend on x",
        "Raise x: does (1 + tanh(u))/2 stay the same?",
        "return ... -> return g * (1 + t) / 2",
    ),
    edit(
        "product-rule-missing",
        "only the gate (1 + t)/2 depends on x",
        "Far to the right GELU is the identity. What slope does your code give there?",
        "((1 + t) / 2 + x -> (x",
    ),
    edit(
        "no-x",
        "the second term of the product rule is only the slope of the gate",
        "Let G be the gate (1 + t)/2. Then (x·G)' = G + x·G'. What multiplies the slope of the gate?",
        "x / 2 -> 1 / 2",
    ),
    edit(
        "sigmoid-approximation",
        "the forward computed x · σ(1.702 x)",
        "Which formula did this forward use?",
        "t = ... -> t = np.tanh(0.851 * x)",
        "du = ... -> du = 0.851",
    ),
    edit(
        "root-inverted",
        "the constant in u is 1/√(2π)",
        "The forward multiplies by √(2/π). Is this constant more or less than 1/2?",
        "2 / math.pi -> 1 / (2 * math.pi)",
    ),
    edit(
        "inner-two-forgotten",
        "the slope of σ(2u) is σ(2u) · (1 - σ(2u)) · u'",
        "(1 + tanh(u))/2 is σ(2u). Which factor does the chain rule give for the argument 2u?",
        "x / 2 -> x / 4",
    ),
    edit(
        "relu-tails",
        "beyond ±4 the slope is that of ReLU",
        "How far below 0 is the slope at x = -4.5? Is that within rounding?",
        "return ... -> d = (1 + t) / 2 + x / 2 * (1 - t**2) * du; "
        "return g * np.where(x > 4, 1, np.where(x < -4, 0, d)).astype(x.dtype)",
    ),
    edit(
        "relu-tails-from-3",
        "beyond about ±3 the slope is that of ReLU",
        "How far below 0 is the slope at x = -3.5? Is that within rounding?",
        "return ... -> d = (1 + t) / 2 + x / 2 * (1 - t**2) * du; "
        "return g * np.where(x > 3, 1, np.where(x < -3, 0, d)).astype(x.dtype)",
    ),
    edit(
        "clipped",
        "an x beyond ±4 may be replaced by ±4",
        "Which slope does your code have at x = 7, and which does it have at x = 4?",
        "c = ... -> x = np.clip(x, -4, 4); c = math.sqrt(2 / math.pi)",
    ),
    edit(
        "quotient-overflows",
        "exp(2u) is finite for every u",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "(1 - t**2) -> e / (e + 1) ** 2 * 4",
        "du = ... -> du = c * (1 + 3 * 0.044715 * x**2); e = np.exp(2 * c * (x + 0.044715 * x**3))",
    ),
]


def forward(x):
    return engine.gelu(x, approximate="tanh")


def gelu_tanh_backward(g, x):
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    du = c * (1 + 3 * 0.044715 * x**2)
    return g * ((1 + t) / 2 + x / 2 * (1 - t**2) * du)


@mistake(
    "exact-gelu", "the forward computed the exact GELU", ("Which formula contains erf? Is it the formula in the task?")
)
def gelu_tanh_backward(g, x):
    cdf = (1 + np.vectorize(math.erf, otypes=[x.dtype])(x / math.sqrt(2))) / 2
    return g * (cdf + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))
