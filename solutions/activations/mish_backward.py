"""Mish is x times a gate t = tanh(softplus(x)). Both factors depend on x. The gate is a chain of two functions: tanh
has the slope 1 - t², and softplus has the slope σ(x), the sigmoid. The product rule and the chain rule give

    out' = t + x · (1 - t²) · σ(x)

At 0 the gate is tanh(log 2) = 3/5, so the slope is 0.6. The slope tends to 1 on the right and to 0 on the left. The
slope is negative to the left of x = -1.192. At this x Mish has its minimum, -0.309.

The direct formulas overflow for large |x|. `np.logaddexp(0, x)` is softplus without an overflow, and log σ(x) is
-softplus(-x).

Cost: two logaddexp, one tanh, one exponential and eight other operations per element. The forward takes one logaddexp,
one tanh and one product. Only x is saved. `out` cannot replace x, because Mish takes each value between its minimum and
0 at two different x.

PyTorch: `MishBackward0` saves x and computes the gate and the sigmoid again. If Mish is composed of `F.softplus`,
`torch.tanh` and a product, autograd saves two arrays, x and the gate. Both the product and the tanh need the gate.

Asked next:

- How do you compute the gate with one exponential? → tanh(log u) is (u² - 1)/(u² + 1). With e = exp(x), u = 1 + e, and
  n = e(e + 2), the gate is n/(n + 2). Limit x to at most 20 to avoid an overflow. Above 20 the gate is 1 in floating
  point.
- How does Mish differ from SiLU? → The gate is tanh(softplus(x)) instead of σ(x). At 0 the slope of Mish is 0.6, and
  the slope of SiLU is 0.5. The outputs differ most near x = 1.8, by 0.184.
- Can Mish amplify a gradient? → Slightly: its largest slope, at x = 1.49, is 1.088. Its smallest slope, at x = -2.26,
  is -0.113.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise

HINTS = (
    "x is a factor, and it is also inside tanh and softplus. Which two terms does the product rule give?",
    (
        "The gate t = tanh(softplus(x)) has the slope (1 - t²) · σ(x). Multiply this slope by x and add the other term "
        "of the product rule."
    ),
    "Compute `t` with `np.logaddexp`, and `s`, the sigmoid. The result is g times `(t + x * ... * s)`.",
)
CASES = elementwise(at=[0.0, 1.0, -1.0, -1.1924, 1.49, -2.26, 5.0])
MISTAKES = [
    edit(
        "no-sigmoid",
        "the slope of tanh(softplus(x)) is 1 - tanh²",
        "The gate is a chain of two functions. How fast does softplus move when x moves?",
        "(1 - t**2) * s -> (1 - t**2)",
    ),
    edit(
        "no-product",
        "the gate does not depend on x",
        "Does tanh(softplus(x)) stay the same if x grows?",
        "return ... -> return g * t",
    ),
    edit(
        "product-rule-missing",
        "only the gate depends on x",
        "Far to the right Mish is the identity. What slope does your code give there?",
        "(t + x -> (x",
    ),
    edit(
        "no-x",
        "the second term of the product rule is only the slope of the gate",
        "(x·t)' = t + x·t'. What multiplies t'?",
        "t + x * -> t +",
    ),
    edit(
        "no-tanh-slope",
        "the slope of the gate is the slope of softplus",
        "Which function is applied to softplus(x)? What is the slope of this function?",
        "(1 - t**2) * s -> s",
    ),
    edit(
        "no-square",
        "the slope of tanh is 1 - tanh",
        "tanh(u) is 3/5 at u = log 2. Is the slope of tanh there 2/5 or 16/25?",
        "t**2 -> t",
    ),
    edit(
        "tanh-slope-at-x",
        "the chain rule takes the slope of tanh at x",
        "What is the argument of tanh in the forward? At which number does your code take the slope of tanh?",
        "t**2 -> np.tanh(x) ** 2",
    ),
    edit(
        "softplus-slope",
        "the slope of softplus is σ(1 - σ)",
        "Far to the right softplus is nearly x. What is its slope there?",
        "t**2) * s -> t**2) * s * (1 - s)",
    ),
    edit(
        "silu-gate",
        "the gate is the sigmoid, as in SiLU",
        "Which function gates x in the task?",
        "return ... -> return g * s * (1 + x * (1 - s))",
    ),
    edit(
        "naive-exp",
        "exp(x) is finite for every x",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "s = ... -> s = np.exp(x) / (1 + np.exp(x))",
    ),
    edit(
        "clipped",
        "an x beyond ±10 may be replaced by ±10",
        "Which slope does your code have at x = -20? Which value does the slope approach far to the left?",
        "t = ... -> x = np.clip(x, -10, 10); t = np.tanh(np.logaddexp(0, x))",
    ),
    edit(
        "clipped-at-20",
        "an x beyond ±20 may be replaced by ±20",
        "Which slope does your code have at x = -40? Which value does the slope approach far to the left?",
        "t = ... -> x = np.clip(x, -20, 20); t = np.tanh(np.logaddexp(0, x))",
    ),
    edit(
        "relu-tails",
        "beyond ±10 the slope is that of ReLU",
        "How far below 0 is the slope at x = -12? Is that within rounding?",
        "return ... -> return g * np.where(x > 10, 1, np.where(x < -10, 0, t + x * (1 - t**2) * s)).astype(x.dtype)",
    ),
]
forward = engine.mish


def mish_backward(g, x):
    t = np.tanh(np.logaddexp(0, x))
    s = np.exp(-np.logaddexp(0, -x))
    return g * (t + x * (1 - t**2) * s)
