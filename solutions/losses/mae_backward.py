"""Let e = pred - target, and let N be the number of elements. The absolute value has the slope 1 for positive e and -1
for negative e:

    dpred = g/N · sign(e)

At e = 0 the absolute value has a kink, and each number from -1 to 1 is a subgradient. The task chooses 0, so a perfect
prediction is not moved. `np.sign` also gives 0 there.

The size of the gradient does not depend on the size of the error. An outlier therefore has no larger gradient than any
other element. Near the target the gradient does not shrink either, so gradient descent with a fixed step oscillates
around the target.

A constant prediction shows which value minimises L. The sum of the signs is 0 if as many targets are above the
prediction as below it, so the best constant is the median. For the mean squared error, the best constant is the mean.

Cost: one subtraction, one sign and one product per element, as in the forward. It is enough to save the sign, which
takes two bits per element.

PyTorch: `F.l1_loss` composes a subtraction, `AbsBackward0` and `MeanBackward0`. The slope at e = 0 is 0. If pred is
NaN, the loss is NaN, but the gradient of pred is 0. In JAX the slope of `jnp.abs` at 0 is 1.

Asked next:

- You write the slope as e/|e|. What goes wrong? → At e = 0 this quotient is 0/0 = NaN, and this NaN reaches all
  parameters. Adding a small eps to |e| avoids the NaN, but changes the slope for small e.
- How do you check this backward by finite differences? → Use errors larger than the step. At e = 0 a central difference
  gives 0, which agrees with this convention. A one-sided difference gives 1 or -1.
- Predictions that are too low should cost more than predictions that are too high. Which loss does this? → The quantile
  loss max(τe, (τ - 1)e) with e = target - pred and τ > 1/2. The slopes of this loss with respect to e are τ and τ - 1.
  The τ-quantile minimises this loss. For τ = 1/2 the loss is |e|/2.
- Which loss has small gradients near the target and bounded gradients far from it? → The Huber loss has both. Its slope
  is e, clipped to the range from -delta to delta.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "By how much does |e| change if e rises by a little, for e = 3, for e = -3 and for e = 0?",
    "The slope of |e| is the sign of e. The mean divides by the number of elements, and g multiplies the result.",
    "Use `np.sign` of the difference, times `g / ...`.",
)


def apart(rng, shape, _):
    return rng.choice([-4.0, -1.5, 0.5, 2.0], shape)


def between(rng, shape, _):
    return rng.choice([-3.0, -1.0, 1.0, 3.0], shape)


WRT = ("pred",)
CASES = [
    given("pred[n,m] target[n,m]", pred=apart, target=between, alias=False),
    given("pred[n] target[n]", pred=apart, target=between, alias=False, large=False),
    given("pred[k,n,m] target[k,n,m]", pred=apart, target=between, alias=False, large=False),
    given("pred[] target[]", pred=2.0, target=2.5, alias=False, large=False, note="one number"),
    given("pred[4] target[4]", pred=[1.0, 2.0, 0.0, -3.0], target=[1.0, 0.0, -0.0, -2.0], smooth=False, note="equal"),
    given("pred[2] target[2]", pred=[1.0, 1e-9], target=[1 + 1e-9, 0.0], smooth=False, note="tiny errors"),
]
MISTAKES = [
    edit(
        "no-sign",
        "the loss is half of the mean square",
        "Does the slope of |e| depend on how large e is?",
        "np.sign(pred - target) -> (pred - target)",
    ),
    edit("no-1/N", "the loss is a sum", "If the batch is repeated, does L change?", "g / pred.size -> g"),
    edit(
        "kink-one",
        "the slope at 0 is 1",
        "Which slope does the task ask for if pred equals target?",
        "np.sign(pred - target) -> (1 - 2 * (pred < target).astype(g.dtype))",
    ),
    edit(
        "kink-minus-one",
        "the slope at 0 is -1",
        "Which slope does the task ask for if pred equals target?",
        "np.sign(pred - target) -> (2 * (pred > target).astype(g.dtype) - 1)",
    ),
    edit(
        "batch-N",
        "the mean divides by the number of rows",
        "How many differences does the mean run over for an array of shape (2, 3)?",
        "pred.size -> len(np.atleast_1d(pred))",
    ),
    edit(
        "sign",
        "the difference is target - pred",
        "If pred is above target, does L rise or fall when pred rises?",
        "(pred - target) -> (target - pred)",
    ),
    edit(
        "g-is-one",
        "the loss is the end of the graph, so g is 1",
        "Let the final loss be 10 · L. What must happen to your gradient?",
        "g / pred.size -> 1 / pred.size",
    ),
    edit(
        "divides-by-zero",
        "e/|e| is the sign of e for every e",
        "What is 0/0 in floating point?",
        "np.sign(pred - target) -> ((pred - target) / np.abs(pred - target))",
    ),
    edit(
        "epsilon",
        "a small eps in the denominator does not change the slope",
        "What is e/(|e| + eps) if e is as small as eps?",
        "np.sign(pred - target) -> ((pred - target) / (np.abs(pred - target) + 1e-8))",
    ),
    edit(
        "positive-only",
        "the slope is 0 below the target, as for ReLU",
        "If pred is below target, does L change when pred moves?",
        "np.sign(pred - target) -> (pred > target)",
    ),
    edit(
        "near-the-kink",
        "a pred that is nearly equal to its target is equal to it",
        "pred and target differ by 1e-9. Does the loss change if pred moves a little?",
        "np.sign(pred - target) -> np.sign(pred - target) * ~np.isclose(pred, target)",
    ),
]


def forward(pred, target):
    return engine.l1_loss(pred, target)


def mae_backward(g, pred, target):
    return g / pred.size * np.sign(pred - target)
