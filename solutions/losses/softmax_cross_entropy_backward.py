"""log_softmax(z)_y = z_y - logsumexp(z), and the gradient of logsumexp is softmax. So one row contributes softmax(z)
- onehot(y): prediction minus target. The mean brings 1/N, the chain rule g.

It is the most useful formula in deep learning: bounded by 1, exactly 0 when the prediction is right, and each row
sums to 0. Differentiating log and softmax separately would divide by a probability that may have underflowed;
together nothing can blow up, provided the row maximum is subtracted before exponentiating. Work on a copy:
subtracting 1 at the label in place would change an array that belongs to somebody else.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake, normal

HINTS = (
    "Split log softmax(z)_y into z_y minus something. What is the gradient of that something?",
    "One row gives softmax(logits) minus the one-hot label; the mean divides by N; the chain rule multiplies by g.",
    "Shift each row by its maximum, exponentiate, normalise: a new array p. Then `p[np.arange(N), y] -= 1`, and scale.",
)
CASES = [
    given("logits[N,C] y[N]", y=below("C"), empty=False),
    given(
        "logits[N,C] y[N]",
        y=below("C"),
        logits=normal(1000),
        smooth=False,
        empty=False,
        large=False,
        note="logits of ±1000",
    ),
]
EQUIVALENT = {
    "constant: logits.max(axis=1, keepdims=True) -> logits.max(axis=-1, keepdims=True)": "of two axes 1 is the last",
    "constant: p.sum(axis=1, keepdims=True) -> p.sum(axis=-1, keepdims=True)": "of two axes 1 is the last",
    "operand: len(y) -> len(logits)": "every row has one label",
}


def forward(logits, y):
    return engine.cross_entropy(logits, y)


def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@mistake(
    "no-1/N", "the loss is a sum over the batch", "Put every row in twice: should the gradient of a row stay the same?"
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p * g


@mistake(
    "no-max-shift",
    "exp of a logit cannot overflow",
    "exp(1000) is inf and inf/inf is NaN. What may be subtracted from a row for free?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "sign",
    "the gradient is target minus prediction",
    "Gradient DESCENT must raise the true logit. Does it with your sign?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return -p * (g / len(y))


@mistake(
    "only-true-class", "only the true class has a gradient", "Which logits must fall when the prediction is wrong?"
)
def softmax_cross_entropy_backward(g, logits, y):
    rows, d = np.arange(len(y)), np.zeros_like(logits)
    d[rows, y] = softmax(logits)[rows, y] - 1
    return d * (g / len(y))


@mistake("divide-by-NC", "the mean runs over every element", "How many loss terms does a row have?")
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p * (g / logits.dtype.type(logits.size))


@mistake(
    "mutates",
    "the logits may be used as scratch memory",
    "Does the caller still need that array? Does your softmax share memory with it?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = logits
    p -= p.max(axis=1, keepdims=True)
    np.exp(p, out=p)
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "no-label",
    "the gradient is the prediction itself",
    "When the prediction is perfect the gradient must be 0. Where do the labels come in?",
)
def softmax_cross_entropy_backward(g, logits, y):
    return softmax(logits) * (g / len(y))


@mistake(
    "every-row-every-label",
    "`p[:, y]` picks one entry a row",
    "Print `p[:, y].shape`. Which index goes with y to pick one entry of each row?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[:, y] -= 1
    return p * (g / len(y))


@mistake("batch-axis", "softmax runs over the batch", "What must sum to 1: a row or a column of p?")
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits.T).T
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "1/N-on-the-label-only",
    "the mean belongs to the labels",
    "Both terms of a row come from the same loss term: which of them is averaged?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= logits.dtype.type(1 / len(y))
    return p * g


@mistake(
    "g-on-softmax-only",
    "the upstream gradient scales the prediction",
    "With g = 0 everything must vanish. Does the label's term?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = g * softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p / logits.dtype.type(len(y))


@mistake(
    "global-shift",
    "one maximum for the whole batch is enough",
    "A row 1000 below the largest logit of another row: what is the sum of its exponentials?",
)
def softmax_cross_entropy_backward(g, logits, y):
    e = np.exp(logits - logits.max())
    p = e / e.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "not-normalised",
    "the exponentials are the probabilities",
    "What must each row of p sum to?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "one-total",
    "the probabilities of the whole batch sum to 1",
    "How many separate softmaxes are in a batch of N rows?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum()
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "column-total",
    "the probabilities of a class sum to 1",
    "What must sum to 1: a row or a column of p?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=0, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "label-added",
    "the label's 1 is added",
    "When the prediction is perfect the gradient must be 0. Is it with your sign?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] += 1
    return p * (g / len(y))


@mistake(
    "label-alone",
    "at the label the prediction does not count",
    "At the label the gradient is p - 1. What do you write there?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] = -1
    return p * (g / len(y))


@mistake(
    "label-0-is-false",
    "a label that is 0 is no label",
    "What is 0 to an `if`? And is it a class?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.flatnonzero(y), y[y != 0]] -= 1
    return p * (g / len(y))


@mistake(
    "one-row-a-label",
    "a label occurs once in a batch",
    "y = [1, 1]: from how many rows must 1 be taken off?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    labels, first = np.unique(y, return_index=True)
    p[first, labels] -= 1
    return p * (g / len(y))
