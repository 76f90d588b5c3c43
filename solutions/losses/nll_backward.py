"""The loss reads one entry of each row and computes a weighted sum of these entries. Each entry that is read has the
slope -1/N, and every other entry has the slope 0. So dlogp is an array of zeros with -g/N at [n, y_n].

The forward gathers, and the backward scatters. Row n receives only one contribution, at its own label. So assigning is
enough, even if several rows have the same label.

The values of logp do not matter. The loss is linear in logp, so the backward needs only the shape of logp. The loss
does not normalise logp, so its backward contains no softmax. The softmax appears in the backward of the log-softmax,
which computed logp.

Cost: the forward reads N numbers. The backward writes N·C numbers, almost all of them 0. Fusing the loss with the
log-softmax avoids this array.

PyTorch: `F.nll_loss` expects log-probabilities and does not check them. `NllLossBackward0` saves the input, the labels
and the divisor of the mean. It returns a dense array, although only N of its entries differ from 0. `F.cross_entropy`
is `log_softmax` followed by `nll_loss`.

Asked next:

- dlogp has the entries -g/N at the labels. What does the backward of the log-softmax return? → From each row it
  subtracts softmax times the row's sum, which is -g/N. The result is (softmax - onehot) · g/N.
- By mistake, `nll_loss` gets logits instead of log-probabilities. What happens in training? → The loss is -z_y, which
  has no lower bound, and its gradient is constant. The logits of the labels grow without bound, and nothing pushes the
  other logits down. The accuracy may look plausible at first, but the loss becomes negative.
- `nll_loss` gets the output of a softmax instead of a log-softmax. What happens? → The loss is minus the probability of
  the label, between -1 and 0. Its gradient with respect to the logits contains p_y as a factor, so a row that is
  clearly wrong hardly learns.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake

HINTS = (
    "Which entries of logp does the loss read? If one of them grows by 1, by how much does the loss change?",
    (
        "dlogp is 0 everywhere except at the label of each row. At the label it is the slope of the negative mean, "
        "times g."
    ),
    "Make zeros of logp's shape and dtype. Index with `np.arange(len(y))` and the labels, and assign `... / len(y)`.",
)
CASES = [
    given("logp[N,C] y[N]", y=below("C"), large={"N": 20, "C": 5000}),
    given("logp[5,3] y[5]", y=[2, 2, 0, 2, 0], note="repeated labels"),
    given("logp[1,4] y[1]", y=[3], note="one row"),
    given("logp[3,3] y[3]", y=[0, 2, 1], note="a square array"),
    given(
        "logp[2,3] y[2]", logp=[[-0.5, -2.0, -2.0], [-1.0, -1.0, -1.0]], y=[1, 0], note="ties with the label's entry"
    ),
]
EQUIVALENT = {"assign: ...": "the entry is 0 before, and no index occurs twice"}


def forward(logp, y):
    return engine.nll_loss(logp, y)


def nll_backward(g, logp, y):
    dlogp = np.zeros_like(logp)
    dlogp[np.arange(len(y)), y] = -g / len(y)
    return dlogp


MISTAKES = [
    edit(
        "no-1/N",
        "the loss is a sum over the rows",
        "If every row is in the batch twice, should the gradient of a row stay the same?",
        "-g / len(y) -> -g",
    ),
    edit(
        "divide-by-NC",
        "the mean runs over all entries of logp",
        "How many numbers does the mean contain: N, or N times C?",
        "-g / len(y) -> -g / logp.size",
    ),
    edit("plus", "the loss rises with logp", "Which sign does the formula for L have before the sum?", "-g / -> g /"),
    edit(
        "every-row-every-label",
        "`[:, y]` takes one entry of each row",
        "Print the shape of `dlogp[:, y]` for three rows. How many entries should one row change?",
        "np.arange(len(y)), y] -> :, y]",
    ),
    edit(
        "values-for-gradients",
        "the gradient contains the value of logp",
        "The loss is linear in logp. Does its slope depend on logp?",
        "-g / len(y) -> -g / len(y) * logp[np.arange(len(y)), y]",
    ),
    edit(
        "log-again",
        "the loss still takes a logarithm of its input",
        "The input already is a logarithm. What does the loss do with it?",
        "-g / len(y) -> -g / len(y) / logp[np.arange(len(y)), y]",
    ),
    edit(
        "label-0-is-padding",
        "a row with label 0 is padding",
        "Is 0 a class like the others? Does the task mention rows that do not count?",
        "dlogp[np.arange(len(y)), y] = -g / len(y) -> "
        "dlogp[np.arange(len(y)), y] = -g * (y > 0) / logp.dtype.type(max((y > 0).sum(), 1))",
    ),
    edit(
        "label-0-without-gradient",
        "a row with label 0 counts in N but gets no gradient",
        "Take y = [0]. Which entry of logp does the loss read?",
        "-g / len(y) -> -g * (y > 0) / logp.dtype.type(len(y))",
    ),
    edit(
        "labels-from-1",
        "the labels count the classes from 1",
        "For y_n = 0, which entry of the row does `logp[n, y_n]` read?",
        "np.arange(len(y)), y] -> np.arange(len(y)), y - 1]",
    ),
    edit(
        "N-counts-classes",
        "N is the number of classes",
        "How many terms does the sum over n have: one for each row, or one for each class?",
        "-g / len(y) -> -g / logp.shape[1]",
    ),
    edit(
        "label-counted-once",
        "each class enters the loss once",
        "Two of three rows have the label 2. How many terms does the sum have?",
        "-g / len(y) -> -g / len(np.unique(y))",
    ),
]


@mistake(
    "softmax-rule",
    "the input holds logits",
    "Which step turns logits into log-probabilities, and is it part of this loss?",
)
def nll_backward(g, logp, y):
    p = np.exp(logp - logp.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "exp-minus-onehot",
    "the gradient contains the probabilities",
    "Change an entry of logp that is not at a label. Does the loss change?",
)
def nll_backward(g, logp, y):
    p = np.exp(logp)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "label-found-by-value",
    "only the label's entry of a row has the value that the loss reads",
    "Two classes have the same log-probability. Which one does the loss read, and which ones does your code select?",
)
def nll_backward(g, logp, y):
    return np.where(logp == logp[np.arange(len(y)), y][:, None], -g / len(y), 0 * g)
