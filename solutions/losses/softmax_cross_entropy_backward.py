"""log_softmax(z)_y = z_y - logsumexp(z), and the gradient of logsumexp is softmax. So the loss of one row, which has
the minus sign, contributes softmax(z) - onehot(y): prediction minus target. The mean brings 1/N, the chain rule g.

Each entry of that difference lies between -1 and 1, each row sums to 0, and a row vanishes as its label's probability
goes to 1. Differentiating log and softmax separately would divide by a probability that may have underflowed; together
nothing is divided by it, and no exponential exceeds 1, provided the row maximum is subtracted first. Work on a copy:
subtracting 1 at the label in place would change an array that belongs to somebody else.

Cost: softmax is made again from the logits, a maximum, an exponential and a sum as in the forward, and the result is
as large as the logits, N·C. Had the forward kept its logsumexp, one number a row, exp(z - logsumexp) would give the
probabilities without a reduction; keeping the probabilities themselves takes another N·C.

PyTorch: `cross_entropy` with class indices is `log_softmax` followed by `nll_loss`, and so is its backward:
`NllLossBackward0` makes an N x C array, with -g/N at the labels and 0 elsewhere, and from each row of that
`LogSoftmaxBackward0` takes the row's sum times exp(log-softmax). Both keep the log-softmax, which is one array and not
two, and `nll_loss` the labels. A label that is no class raises `IndexError` on the CPU, except `ignore_index`, by
default -100.

Asked next:

- The label becomes a distribution q, by label smoothing or distillation: what changes? → q takes the place of the
  one-hot row: softmax(z) - q. That is for q that sums to 1; if it sums to s, the first term is s·softmax(z), which is
  what a code that forgets it gets wrong.
- C is 128,000 and the logits do not fit into memory. What can be done? → Take the rows in chunks: logits, loss, and at
  once the gradient with respect to the hidden states and the output weights, as all of it is linear in the scalar g.
  The chunk's logits are dropped, and backward has only to multiply by g.
- The vocabulary is split over several GPUs. What must they tell each other? → A maximum and a sum of exponentials a
  row, and for the loss the logit of the label, which one of them has. The gradient of its own columns each computes
  alone.
- What is the second derivative of a row's loss in its logits? → diag(p) - p pᵀ, the covariance matrix of the one-hot
  label that p draws. So it is positive semidefinite, the loss is convex in the logits, and flat along the direction of
  all ones.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "Split log softmax(z)_y into z_y minus something. What is the gradient of that something?",
    "One row gives softmax(logits) minus the one-hot label; the mean divides by N; the chain rule multiplies by g.",
    "Shift each row by its maximum, exponentiate, normalise: a new array p. Then `p[np.arange(N), y] -= 1`, and scale.",
)


# Logits a few tens apart would ask for digits of p - 1 that only one order of operations keeps.
def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-20, 21, shape)


CASES = [
    given("logits[N,C] y[N]", y=below("C"), empty=False),
    given(
        "logits[N,C] y[N]",
        y=below("C"),
        logits=hundreds,
        smooth=False,
        empty=False,
        large=False,
        note="logits of ±1000",
    ),
    given("logits[1,3] y[1]", logits=[[1.0, 2.0, -1.0]], y=[1], note="one row"),
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
