"""Both branches are straight lines through 0. The slope is 1 for x > 0 and alpha for x < 0. At x = 0 the two
lines meet, and the task chooses the slope alpha.

Compare x itself with 0. The form max(x, alpha · x) equals leaky ReLU only for alpha ≤ 1. For alpha = 2 this maximum is
2x on the right and x on the left.

Cost: one comparison, one product and one selection per element, as in the forward. Only the sign of x is needed. If
alpha is positive, out has the same sign, so the operation can run in place and save its output.

PyTorch: `LeakyReluBackward0` saves x and alpha. After `F.leaky_relu_`, `LeakyReluBackward1` saves the output instead,
and raises an error for a negative alpha. At x = 0 the slope is alpha. In `jax.nn.leaky_relu` the slope at 0 is 1.

Asked next:

- Why does a negative alpha not work in place? → For x < 0 the output alpha · x is then positive. The sign of the output
  no longer tells which branch was used.
- What does the leak change for a unit whose input is negative for each sample? → With ReLU, the unit's weights get no
  gradient. Without weight decay, only a change of the layers before the unit can open the gate again. With the leak,
  the unit's weights get alpha times the gradient that an open unit would give them.
- What is the gain in He initialisation for leaky ReLU? → √(2/(1 + alpha²)). The mean square of the slopes is
  (1 + alpha²)/2 for inputs that are symmetric about 0.
- PReLU learns alpha. What is the gradient of alpha? → The sum of g · x over all elements with x ≤ 0 that share alpha.
  The other elements do not depend on alpha.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise

HINTS = (
    "Each branch is a straight line. What are the slopes of the two lines?",
    "Pass g on for x > 0, and alpha times g elsewhere. The branch depends on x, not on a maximum.",
    "Use one `np.where`: its condition is a strict comparison of x, and its last argument is `... * g`.",
)
CASES = elementwise(at=[1.0, -1.0, 0.001, -0.001], kinks=[0.0], alpha=[0.01, 2.0, -0.5])
MISTAKES = [
    edit(
        "zero-negative",
        "leaky ReLU is constant on the left, as ReLU is",
        "Does `out` change if x moves from -1 to -2?",
        "alpha * g -> 0",
    ),
    edit("kink-one", "the slope at 0 is 1", "Which slope does the task ask for at x = 0?", "x > 0 -> x >= 0"),
    edit(
        "alpha-times-x",
        "the slope on the left is alpha · x",
        "What is the derivative of alpha · x with respect to x?",
        "alpha * g -> alpha * x * g",
    ),
    edit(
        "max-form",
        "leaky ReLU is max(x, alpha · x) for any alpha",
        "Let alpha be 2 and x be 1. What is the maximum, and what does the task's formula give?",
        "x > 0 -> x > alpha * x",
    ),
    edit(
        "branches-exchanged",
        "alpha scales the positive inputs",
        "Which inputs does the forward multiply by alpha?",
        "g, alpha * g -> alpha * g, g",
    ),
    edit(
        "leak-of-upstream",
        "the sign of g chooses the slope",
        "Which value chose the branch in the forward, x or g?",
        "x > 0 -> g > 0",
    ),
    edit(
        "minus-alpha",
        "the slope on the left is -alpha",
        "Let alpha be 0.01. Does `out` rise or fall if x moves from -2 to -1?",
        "alpha * g -> -alpha * g",
    ),
    edit(
        "strict-both",
        "the slope at 0 is 0",
        "Which of your two branches contains x = 0? Which slope does the task ask for there?",
        "alpha * g -> np.where(x < 0, alpha * g, 0)",
    ),
    edit(
        "kink-mean",
        "the slope at 0 is the mean of the two slopes",
        "Which slope does the task ask for at x = 0?",
        "alpha * g -> np.where(x < 0, alpha * g, (1 + alpha) / 2 * g)",
    ),
    edit(
        "branch-of-output",
        "the output has the sign of x",
        "Let alpha be -0.5 and x be -1. Which sign does the output have?",
        "x > 0 -> np.where(x > 0, x, alpha * x) > 0",
    ),
    edit(
        "alpha-positive",
        "alpha is not negative",
        "Let alpha be -0.5. Which slope does your code have on the left?",
        "alpha * g -> abs(alpha) * g",
    ),
    edit(
        "output-over-x",
        "the slope is the output divided by x",
        "What is the output divided by x at x = 0?",
        "np.where(x > 0, g, alpha * g) -> g * (np.where(x > 0, x, alpha * x) / x)",
    ),
    edit(
        "near-the-kink",
        "a value near 0 is 0",
        "Is 1e-9 equal to 0? Which branch of the forward does it take?",
        "x > 0 -> (x > 0) & ~np.isclose(x, 0)",
    ),
]


def forward(x, alpha):
    return engine.leaky_relu(x, negative_slope=alpha)


def leaky_relu_backward(g, x, alpha):
    return np.where(x > 0, g, alpha * g)
