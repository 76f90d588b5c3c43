"""Let e = pred - target, and let N be the number of elements. Then L = (1/N) Σ e², and each e² has the slope 2e:

    dpred = g · 2e/N        dtarget = -dpred

The loss reads only the difference, so moving pred and target by the same amount does not change it. Therefore dpred +
dtarget is 0.

N counts elements, not rows: for shape (n, m) it is n · m. g multiplies everything, because L may be one term of a
larger loss.

Two checks follow. If pred = target, both gradients are 0. If the batch is repeated, L stays the same, and the gradient
of each element halves.

Cost: one subtraction, one product and one negation per element. The forward takes one subtraction, one product and one
addition. Saving e would be enough, but pred and target are usually still in memory anyway.

PyTorch: `MseLossBackward0` saves pred, target and the reduction, and gives gradients to pred and target. If the shapes
differ, `F.mse_loss` warns and broadcasts.

Asked next:

- pred has shape (N, 1) and target has shape (N,). What is minimised? → Broadcasting compares each prediction with each
  target, which gives N² differences. The gradient of prediction i is 2/N · (pred_i - mean(target)). All predictions
  move to the mean of the targets. The loss falls, so it does not reveal the bug.
- An error is 300, and the loss is computed in float16. What are the loss and the gradient? → The square 90,000 exceeds
  65,504, so the loss is infinite. The gradient 2e/N is finite. Compute the loss in float32.
- The last layer is a sigmoid. Why is the mean squared error a poor loss there? → The gradient of the logit is 2e/N ·
  s(1 - s) with the output s. For a confident wrong answer s(1 - s) is nearly 0. With cross-entropy this factor cancels.
- The loss is a mean over a batch that two devices share in unequal parts. How do you combine the gradients? → Weight
  each device's gradient by its share of the elements, or let each device divide its sum by the total number of
  elements. Then add the gradients. A plain average is wrong for unequal parts.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Move one element of pred by a little. How much does the square of its error change, and how much does the "
        "mean of all squares change?"
    ),
    (
        "The square has the slope 2 · (pred - target). The mean divides by the number of elements, and g multiplies "
        "the result."
    ),
    "Write `2 * g / ... * (pred - target)` for dpred. dtarget has the same size and the opposite sign.",
)
CASES = [
    given("pred[n,m] target[n,m]"),
    given("pred[n] target[n]", large=False),
    given("pred[k,n,m] target[k,n,m]", large=False),
    given("pred[] target[]", large=False, note="one number"),
    given("pred[2,2] target[2,2]", pred=3.0, target=3.0, large=False, note="no error"),
]
MISTAKES = [
    edit(
        "no-1/N",
        "the loss is a sum",
        "Repeat the batch: L stays the same. What must happen to the gradient of one element?",
        "2 * g / pred.size -> 2 * g",
    ),
    edit(
        "no-two",
        "the loss is half of the mean square",
        "What is the derivative of e²? Does this loss contain a factor 1/2?",
        "2 * g / pred.size -> g / pred.size",
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
        "Let the final loss be 10 · L. What must happen to your gradients?",
        "2 * g / pred.size -> 2 / pred.size",
    ),
    edit(
        "same-sign",
        "target has the same gradient as pred",
        "Move pred and target by the same amount. Does L change? What must dpred + dtarget be?",
        "return dpred, -dpred -> return dpred, dpred.copy()",
    ),
    edit(
        "target-constant",
        "a target has the gradient 0",
        "Does L change if target moves? Which results does the task ask for?",
        "return dpred, -dpred -> return dpred, 0 * dpred",
    ),
    edit(
        "square-kept",
        "the loss itself is the gradient",
        "What is the derivative of e²?",
        "2 * g / pred.size * (pred - target) -> g / pred.size * (pred - target)**2",
    ),
    edit(
        "last-axis",
        "the mean divides by the length of the last axis",
        "For an array of shape (2, 3), how many squares does the mean run over?",
        "2 * g / pred.size -> 2 * g / (pred.shape[-1] if pred.ndim else 1)",
    ),
]


def forward(pred, target):
    return engine.mse_loss(pred, target)


def mse_backward(g, pred, target):
    dpred = 2 * g / pred.size * (pred - target)
    return dpred, -dpred


@mistake(
    "batch-N",
    "the mean divides by the number of rows",
    "For an array of shape (2, 3), how many squares does the mean run over?",
)
def mse_backward(g, pred, target):
    dpred = 2 * g / len(np.atleast_1d(pred)) * (pred - target)
    return dpred, -dpred


@mistake(
    "absolute",
    "the slope of the square does not depend on the size of the error",
    "What is the slope of e² at e = 1 and at e = 3?",
)
def mse_backward(g, pred, target):
    dpred = 2 * g / pred.size * np.sign(pred - target)
    return dpred, -dpred


@mistake("root", "the loss is the root of the mean square", "Does the task take a square root?")
def mse_backward(g, pred, target):
    e = pred - target
    norm = np.sqrt(pred.size * (e * e).sum())
    dpred = g * e / np.where(norm > 0, norm, 1)
    return dpred, -dpred
