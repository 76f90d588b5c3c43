"""Both factors of x · σ(x) depend on x. The sigmoid's slope is σ' = σ(1 - σ), so the product rule gives

    out' = σ + x · σ(1 - σ) = σ · (1 + x(1 - σ))

At 0 the slope is 1/2. It tends to 1 on the right and to 0 on the left. The slope is negative to the left of x = -1.278.
At this x SiLU has its minimum, -0.278.

exp(-x) overflows for x far below 0. tanh never overflows, and σ(x) = (1 + tanh(x/2))/2.

Cost: one tanh and eight other operations per element. The forward takes one tanh and four other operations. Only x is
saved. `out` cannot replace x, because SiLU takes each value between its minimum and 0 at two different x.

PyTorch: `SiluBackward0` saves x and computes the sigmoid again. For float16 and bfloat16 it computes in float32 and
rounds once at the end.

Asked next:

- A fused kernel computes SwiGLU, silu(a) · b. Which tensors must it save? → It saves a and b. Its backward computes the
  sigmoid again from a. Two separate operations would also save silu(a), for the product.
- In float32, what do 1/(1 + exp(-x)) and (1 + tanh(x/2))/2 give at x = -100? → Both give 0, although σ(-100) is 4e-44.
  In the first formula, exp(100) overflows to infinity, with a warning. In the second formula, tanh(-50) rounds to -1.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise

HINTS = (
    "x appears twice in x · σ(x). What does the product rule give?",
    "The slope of the sigmoid is σ(1 - σ). Multiply it by x and add the other term of the product rule.",
    "Compute `s`, the sigmoid of x, without an overflow. The slope is s · (1 + ...).",
)
CASES = elementwise(at=[0.0, 1.0, -1.0, -1.278, -3.0, 6.0, -12.0, 12.0, -18.0])
MISTAKES = [
    edit(
        "sigmoid-only",
        "the gate σ(x) does not depend on x",
        "Does σ(x) stay the same if x grows?",
        "return ... -> return g * s",
    ),
    edit(
        "product-rule-missing",
        "only the gate σ(x) depends on x",
        "Far to the right SiLU is the identity. What slope does your code give there?",
        "1 + x * (1 - s) -> x * (1 - s)",
    ),
    edit(
        "no-x",
        "the second term of the product rule is only σ'",
        "(x·σ)' = σ + x·σ'. What multiplies σ'?",
        "x * (1 - s) -> (1 - s)",
    ),
    edit(
        "no-complement",
        "the slope of σ is σ",
        "Far to the right σ is constant. What is its slope there?",
        "(1 - s) -> s",
    ),
    edit(
        "naive-exp",
        "exp(x) is finite for every x",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "s = ... -> e = np.exp(x); s = e / (1 + e)",
    ),
    edit(
        "out-for-sigmoid",
        "the slope of σ is out · (1 - out)",
        "Which function has the slope y · (1 - y) in terms of its own output y?",
        "return ... -> out = x * s; return g * (s + x * out * (1 - out))",
    ),
    edit(
        "out-in-complement",
        "the complement of the gate is 1 - out",
        "The slope of σ is σ · (1 - σ). Which number does your code subtract from 1?",
        "1 - s) -> 1 - x * s)",
    ),
    edit(
        "relu-tails",
        "beyond ±10 the slope is that of ReLU",
        "What is the slope at x = -12? Is it 0?",
        "return ... -> return g * np.where(x > 10, 1, np.where(x < -10, 0, s * (1 + x * (1 - s)))).astype(x.dtype)",
    ),
    edit(
        "clipped",
        "an x beyond ±10 may be replaced by ±10",
        "What is the slope at x = -12, and what is the slope at x = -10?",
        "s = ... -> x = np.clip(x, -10, 10); s = (1 + np.tanh(x / 2)) / 2",
    ),
    edit(
        "clipped-at-20",
        "an x beyond ±20 may be replaced by ±20",
        "Which slope does your code have at x = -40? Which value does the slope approach far to the left?",
        "s = ... -> x = np.clip(x, -20, 20); s = (1 + np.tanh(x / 2)) / 2",
    ),
]
forward = engine.silu


def silu_backward(g, x):
    s = (1 + np.tanh(x / 2)) / 2
    return g * s * (1 + x * (1 - s))
