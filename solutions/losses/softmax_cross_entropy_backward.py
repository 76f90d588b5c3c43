"""log_softmax(z)_y = z_y - logsumexp(z), and the gradient of logsumexp is softmax. With the minus sign of the loss, one
row contributes softmax(z) - onehot(y): prediction minus target. The mean brings the factor 1/N, the chain rule the
factor g.

Each entry of that difference is between -1 and 1, and each row sums to 0. A row vanishes as its label's probability
goes to 1. Differentiating log and softmax separately would divide by a probability that may have underflowed. The
combined form divides by no probability, and no exponential exceeds 1 if the row maximum is subtracted first. Subtract
the 1 at the label in a new array, because the caller still uses `logits`.

Cost: softmax is recomputed from the logits, with a maximum, an exponential and a sum as in the forward. The result is
as large as the logits, N·C. If the forward had saved its logsumexp, one number per row, exp(z - logsumexp) would give
the probabilities without a reduction. Saving the probabilities themselves takes another N·C.

PyTorch: `cross_entropy` with class indices is `log_softmax` followed by `nll_loss`, and so is its backward.
`NllLossBackward0` makes an N x C array with -g/N at the labels and 0 elsewhere. From each row of that array,
`LogSoftmaxBackward0` subtracts the row's sum times exp(log-softmax). Both save the log-softmax, which is one array and
not two; `nll_loss` also saves the labels. A label that is not a class raises `IndexError` on the CPU, except for
`ignore_index`, which is -100 by default.

Asked next:

- The label becomes a distribution q, by label smoothing or distillation. What changes? → q takes the place of the
  one-hot row: softmax(z) - q. This holds if q sums to 1. If q sums to s, the first term is s·softmax(z), and code that
  forgets the factor s is wrong.
- C is 128,000 and the logits do not fit into memory. What can be done? → Process the rows in chunks. For each chunk
  compute the logits, the loss and at once the gradients of the hidden states and the output weights; all of them are
  linear in the scalar g. Then drop the chunk's logits. Backward only multiplies by g.
- The vocabulary is split over several GPUs. What must the GPUs exchange? → A maximum and a sum of exponentials per row,
  and for the loss the logit of the label, which one GPU has. Each GPU then computes the gradient of its own columns
  without further exchange.
- What is the second derivative of a row's loss in its logits? → It is diag(p) - p pᵀ, the covariance matrix of a
  one-hot label drawn from p. It is positive semidefinite, so the loss is convex in the logits. It is flat along the
  direction of all ones.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "Split log softmax(z)_y into z_y minus something. What is the gradient of that something?",
    (
        "One row gives softmax(logits) minus the one-hot label. The mean divides by N, and the chain rule multiplies "
        "by g."
    ),
    (
        "Shift each row by its maximum, exponentiate, normalise: a new array p. Then `p[np.arange(N), y] -= 1`, and "
        "scale."
    ),
)


# Logits that are a few tens apart would test digits of p - 1 that only one order of operations keeps.
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
    "constant: logits.max(axis=1, keepdims=True) -> logits.max(axis=-1, keepdims=True)": "axis 1 is the last of two",
    "constant: p.sum(axis=1, keepdims=True) -> p.sum(axis=-1, keepdims=True)": "axis 1 is the last of two",
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
    "no-1/N",
    "the loss is a sum over the batch",
    "Put every row into the batch twice: should the gradient of a row stay the same?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p * g


@mistake(
    "no-max-shift",
    "exp of a logit cannot overflow",
    "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "sign",
    "the gradient is the target minus the prediction",
    "Gradient descent must raise the true logit. Does it, with your sign?",
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
    "When the prediction is perfect the gradient must be 0. Where does your code use the labels?",
)
def softmax_cross_entropy_backward(g, logits, y):
    return softmax(logits) * (g / len(y))


@mistake(
    "every-row-every-label",
    "`p[:, y]` picks one entry of each row",
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
    "only the label's term is averaged",
    "Both terms of a row come from the same loss term. Which of them is averaged?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= logits.dtype.type(1 / len(y))
    return p * g


@mistake(
    "g-on-softmax-only",
    "g scales only the prediction",
    "With g = 0 everything must vanish. Does the label's term vanish?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = g * softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p / logits.dtype.type(len(y))


@mistake(
    "global-shift",
    "one maximum serves the whole batch",
    "Take a row 1000 below the largest logit of another row. What is the sum of its exponentials?",
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
    "the probabilities of a class sum to 1 over the batch",
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
    "When the prediction is perfect the gradient must be 0. Is it, with your sign?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] += 1
    return p * (g / len(y))


@mistake(
    "label-alone",
    "the prediction does not count at the label",
    "At the label the gradient is p - 1. What do you write there?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] = -1
    return p * (g / len(y))


@mistake(
    "label-0-is-false",
    "the label 0 means no label",
    "How does an `if` treat the number 0? Is 0 a class?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.flatnonzero(y), y[y != 0]] -= 1
    return p * (g / len(y))


@mistake(
    "one-row-a-label",
    "each label occurs once in a batch",
    "y = [1, 1]: from how many rows must 1 be subtracted?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    labels, first = np.unique(y, return_index=True)
    p[first, labels] -= 1
    return p * (g / len(y))
