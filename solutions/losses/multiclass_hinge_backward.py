"""Each term with j ≠ y_n and h_nj > 0 is active. An active term depends on two scores. Its slope is 1 with respect to
scores[n, j] and -1 with respect to scores[n, y_n]. So each active wrong class gets g/N. The score of the label is in
all terms of its row, so the label gets -g/N once per active class. If k classes of the row are active, the label's
gradient is -k · g/N.

Each row of the gradient sums to 0, because a constant added to all scores of a row changes no h.

At j = y_n, h is the margin, which is positive, but the sum leaves this term out. In the code, the comparison writes a 1
at the label too, so the row holds k + 1 ones. Subtracting the row sum from the 1 at the label leaves -k.

The gradient does not depend on how much a margin is violated, only on whether it is violated. The row contributes
nothing if the label's score exceeds every other score by at least the margin. A row of a cross-entropy always
contributes.

Cost: one comparison and a few operations per score, and a count per row, as in the forward. The forward may save one
boolean per score. The backward needs nothing else that depends on the scores.

PyTorch: `F.multi_margin_loss` divides each row by C as well, so its gradient is 1/C of the gradient here. It also
offers squared violations (p=2) and class weights. `MultiMarginLossBackward0` saves the scores and the labels. In
PyTorch, too, the gradient at h = 0 is 0.

Asked next:

- At the start all scores are near 0, and the margin is 1. What should the loss be? → Every h is near 1, and each row
  has C - 1 terms, so the loss is about C - 1. If the first loss is far from C - 1, look for a bug.
- Only the most violating wrong class counts in the Crammer-Singer form. What changes in the gradient? → The sum over j
  becomes a maximum. At most one wrong class gets g/N, and the label gets -g/N.
- Why does training on this loss stop at finite scores, whereas cross-entropy does not? → Once every margin is
  satisfied, the gradient is exactly 0. The gradient of the cross-entropy, softmax minus one-hot, is never 0 for finite
  scores, so training keeps increasing the difference between the scores.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake, normal

HINTS = (
    "Which terms of a row are active? In how many of them does the score of the label occur?",
    "Each active wrong class gets g/N. The label gets minus g/N times the number of active classes in its row.",
    (
        "Make an array that is 1 where h is positive and 0 elsewhere. Which number is at the label, and which number "
        "must be there instead?"
    ),
)
CASES = [
    given("scores[N,C] y[N]", y=below("C"), large={"N": 250, "C": 400}, note="margin=1"),
    given("scores[N,C] y[N]", y=below("C"), margin=0.25, large=False, note="margin=0.25"),
    given("scores[N,C>=2] y[N]", y=below("C"), scores=normal(20), margin=1.5, large=False, note="scores far apart"),
    given("scores[2,3] y[2]", scores=[[5.0, 1.0, 0.0], [-2.0, 3.0, 1.0]], y=[0, 1], note="no active term"),
    given(
        "scores[4,3] y[4]",
        scores=[[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, 2.0, 3.0], [-1.5, 1.5, -0.5]],
        y=[0, 1, 2, 2],
        smooth=False,
        note="h exactly 0",
    ),
    given("scores[2,3] y[2]", scores=[[2.0, 2.0, 0.0], [1.0, 1.0, 1.0]], y=[0, 2], note="scores equal to the label's"),
    given(
        "scores[2,3] y[2]",
        scores=[[0.0, -1 + 1e-9, -1 - 1e-9], [2.0**-40 - 1, 0.0, -1 - 2.0**-40]],
        y=[0, 1],
        smooth=False,
        note="h nearly 0",
    ),
    given("scores[N,1] y[N]", y=0, large=False, note="one class"),
]


def forward(scores, y, margin=1.0):
    rows = np.arange(len(y))
    h = scores - scores[rows, y][:, None] + margin
    others = np.arange(scores.shape[1]) != y[:, None]
    return engine.where(others, engine.relu(h), 0).sum(axis=1).mean()


def multiclass_hinge_backward(g, scores, y, margin=1.0):
    rows = np.arange(len(y))
    d = (scores - scores[rows, y][:, None] + margin > 0).astype(scores.dtype)
    d[rows, y] -= d.sum(axis=1)
    return d * (g / len(y))


MISTAKES = [
    edit(
        "true-class-minus-one",
        "the score of the label is in only one term of its row",
        "Three wrong classes violate the margin. How much does the loss fall if the label's score rises by 0.1?",
        "-= d.sum(axis=1) -> = -(d.sum(axis=1) > 1)",
    ),
    edit(
        "true-class-always-minus-one",
        "the label always gets -1, as in cross-entropy",
        "Take a row that satisfies every margin. Does the loss change if its scores move a little?",
        "-= d.sum(axis=1) -> = -1",
    ),
    edit(
        "true-class-untouched",
        "the score of the label does not affect the loss",
        "Add 1 to all scores of a row. The loss stays the same. Does each row of your gradient sum to 0?",
        "-= d.sum(axis=1) -> = 0",
    ),
    edit(
        "counts-own",
        "the label counts as a class that violates the margin",
        "What is h at j = y? Is that term in the sum?",
        "-= d.sum(axis=1) -> = -d.sum(axis=1)",
    ),
    edit(
        "label-not-cleared",
        "the label's entry is 0 before the count is subtracted",
        "What is h at j = y? Which value does the comparison write at the label?",
        "-= d.sum(axis=1) -> -= d.sum(axis=1) - 1",
    ),
    edit(
        "all-other-classes",
        "every wrong class is active",
        "A wrong class scores 10 below the label. Does the loss change if the score of this wrong class rises by 0.1?",
        "(scores - scores[rows, y][:, None] + margin > 0) -> (scores == scores)",
    ),
    edit(
        "violation-weights",
        "the gradient grows with the violation",
        "What is the slope of max(0, h) at h = 1, and what is it at h = 5?",
        "(scores - scores[rows, y][:, None] + margin > 0) -> np.maximum(scores - scores[rows, y][:, None] + margin, 0)",
    ),
    edit(
        "no-margin",
        "a class is active only if it scores above the label",
        "The label scores 0.5 above another class, and the margin is 1. Is that term 0?",
        " + margin > 0 -> > 0",
    ),
    edit(
        "at-the-kink",
        "a term with h = 0 is active",
        "Which gradient does the task ask for at h = 0?",
        "margin > 0 -> margin >= 0",
    ),
    edit(
        "divide-by-NC",
        "the mean runs over rows and classes",
        "By which number does the task divide: N, or N times C?",
        "/ len(y) -> / scores.size",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the rows",
        "If every row is in the batch twice, should the gradient of a row stay the same?",
        " / len(y) ->",
    ),
    edit(
        "sign",
        "the loss pushes the label down",
        "Should descent raise or lower the label's score?",
        "d * (g -> -d * (g",
    ),
    edit(
        "excluded-by-score",
        "only the label has the score of the label",
        "Another class has the same score as the label. What is its h, and is its term in the sum?",
        "margin > 0).astype(scores.dtype) -> margin > 0) * (scores != scores[rows, y][:, None]).astype(scores.dtype)",
        "-= d.sum(axis=1) -> = -d.sum(axis=1)",
    ),
    edit(
        "h-nearly-0",
        "a small positive h is a tie up to rounding",
        "Let h be 1e-9. Does the loss change if h moves a little?",
        "margin > 0 -> margin > 1e-8",
    ),
]


@mistake(
    "worst-class-only",
    "only the wrong class with the largest h counts, as in the loss of Crammer and Singer",
    "Does the task sum over the wrong classes of a row, or does it take their maximum?",
)
def multiclass_hinge_backward(g, scores, y, margin=1.0):
    rows = np.arange(len(y))
    h = scores - scores[rows, y][:, None] + margin
    h[rows, y] = 0
    worst = h.argmax(axis=1)
    d = np.zeros_like(scores)
    d[rows, worst] = h[rows, worst] > 0
    d[rows, y] -= d[rows, worst]
    return d * (g / len(y))
