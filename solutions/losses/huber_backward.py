"""The quadratic part has the slope e, and the linear parts have the slopes delta and -delta. At |e| = delta both
formulas give the same slope, so the slope has no jump. The slope is e, clipped to the range from -delta to delta. With
N elements,

    dpred = g/N · clip(e, -delta, delta)

The loss has small gradients near the target, like the squared error, and bounded gradients far from it, like the
absolute error. An element with |e| > delta still has a gradient. Its size is g · delta/N.

The order matters: clip the error, then multiply by g/N. Clipping the product would make the result nonlinear in g.

Cost: one subtraction, one clip and one product per element. The forward computes the square too.

PyTorch: `HuberLossBackward0` saves pred, target and delta, and computes the error again. `F.smooth_l1_loss` with beta =
delta is this loss divided by delta, so its gradient is divided by delta too. Beyond beta, the slope of smooth L1 is 1
or -1.

Asked next:

- Which losses does the Huber loss approach for a large delta and for a small delta? → For large delta, the limit is
  half of the squared error. For small delta, the loss divided by delta tends to the absolute error.
- DQN clips the error of its update to ±1. Which loss has this gradient? → The Huber loss with delta = 1 has this
  gradient. If DQN clipped the value of the squared loss instead, the gradient would be 0 for large errors, and large
  errors would never be corrected.
- What is the second derivative, and for which method is it a problem? → The second derivative is 1 for |e| < delta and
  0 beyond. A Newton step, as in gradient boosting, divides by the second derivative and cannot divide by 0. The
  pseudo-Huber loss delta² (√(1 + (e/delta)²) - 1) has the slope e/√(1 + (e/delta)²) and a positive second derivative
  everywhere.
- The targets are given in millimetres instead of metres. What must change? → delta must be multiplied by 1000 too.
  Otherwise nearly all errors are in the linear part.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "What is the slope of each of the two formulas? What are these slopes at |e| = delta?",
    "The slope is e near 0, and delta with the sign of e far from 0. One NumPy function covers both parts.",
    "Use `np.clip(..., -delta, delta)`, and multiply by `g / ...`.",
)
WRT = ("pred",)
EDGES = [0.5, -0.5, 0.0, 0.25, -3.0, 2.0]
CASES = [
    given("pred[n,m] target[n,m]", pred=normal(2), delta=0.5),
    given("pred[n] target[n]", pred=normal(3), delta=2.0, large=False),
    given("pred[k,n,m] target[k,n,m]", pred=normal(2), delta=1.5, large=False),
    given("pred[] target[]", pred=4.0, target=0.0, delta=0.25, large=False, note="one number"),
    given("pred[6] target[6]", pred=EDGES, target=0.0, delta=0.5, smooth=False, large=False, note="errors of ±delta"),
]
MISTAKES = [
    edit(
        "sign-no-delta",
        "the slope of the linear part is 1 or -1",
        "The two parts join at |e| = delta. Which slope does the quadratic part have there?",
        "np.clip(e, -delta, delta) -> np.where(np.abs(e) <= delta, e, np.sign(e))",
    ),
    edit(
        "factor-two",
        "the quadratic part is e²",
        "What is the derivative of e²/2?",
        "np.clip(e, -delta, delta) -> np.where(np.abs(e) <= delta, 2 * e, delta * np.sign(e))",
    ),
    edit("no-1/N", "the loss is a sum", "If the batch is repeated, does L change?", "g / pred.size -> g"),
    edit(
        "smooth-l1",
        "the loss is divided by delta, as in smooth L1",
        "What is the slope of delta · (|e| - delta/2)?",
        "np.clip(e, -delta, delta) -> np.clip(e, -delta, delta) / delta",
    ),
    edit(
        "delta-is-one",
        "delta is 1",
        "Which argument does your function never use?",
        "-delta, delta -> -1, 1",
    ),
    edit(
        "clipped-loss",
        "the loss is constant for |e| > delta",
        "Does delta · (|e| - delta/2) change if |e| grows?",
        "np.clip(e, -delta, delta) -> np.where(np.abs(e) <= delta, e, 0)",
    ),
    edit(
        "no-clip",
        "the whole loss is quadratic",
        "What is the slope of the second formula, and does it depend on e?",
        "np.clip(e, -delta, delta) -> e",
    ),
    edit(
        "one-sided",
        "only an error above delta is in the linear part",
        "Take delta = 1. Which of the two formulas holds at e = -3, and which one does your code use there?",
        "np.clip(e, -delta, delta) -> np.minimum(e, delta)",
    ),
    edit(
        "clips-gradient",
        "the gradient is clipped instead of the error",
        "Let the final loss be 10 · L. Is your gradient 10 times as large?",
        "g / pred.size * np.clip(e, -delta, delta) -> np.clip(g / pred.size * e, -delta, delta)",
    ),
    edit(
        "branches-exchanged",
        "the linear formula holds near 0",
        "Which of the two formulas holds for small |e|?",
        "np.clip(e, -delta, delta) -> np.where(np.abs(e) > delta, e, delta * np.sign(e))",
    ),
    edit(
        "delta-times-e",
        "the slope of the linear part is delta · e",
        "What is the slope of |e|?",
        "np.clip(e, -delta, delta) -> np.where(np.abs(e) <= delta, e, delta * e)",
    ),
    edit(
        "sign",
        "the difference is target - pred",
        "If pred is above target, does L rise or fall when pred rises?",
        "e = pred - target -> e = target - pred",
    ),
    edit(
        "batch-N",
        "the mean divides by the number of rows",
        "How many losses does the mean run over for an array of shape (2, 3)?",
        "pred.size -> len(np.atleast_1d(pred))",
    ),
    edit(
        "g-is-one",
        "the loss is the end of the graph, so g is 1",
        "Let the final loss be 10 · L. What must happen to your gradient?",
        "g / pred.size -> 1 / pred.size",
    ),
    edit(
        "one-formula-for-all",
        "the largest error chooses the formula for all elements",
        "Take delta = 1 and the errors 0.5 and 3. Which formula holds for each element?",
        "np.clip(e, -delta, delta) -> (e if np.all(np.abs(e) <= delta) else delta * np.sign(e))",
    ),
    edit(
        "smallest-chooses",
        "one error within delta makes the loss quadratic for all elements",
        "Take delta = 1 and the errors 0.5 and 3. Which formula holds for each element?",
        "np.clip(e, -delta, delta) -> (e if np.any(np.abs(e) <= delta) else delta * np.sign(e))",
    ),
]


def forward(pred, target, delta):
    return engine.huber_loss(pred, target, delta=delta)


def huber_backward(g, pred, target, delta):
    e = pred - target
    return g / pred.size * np.clip(e, -delta, delta)
