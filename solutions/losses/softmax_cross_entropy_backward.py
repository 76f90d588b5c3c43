"""The cross-entropy of one row is logsumexp(z) - z_y, because log_softmax(z)_y = z_y - logsumexp(z). The gradient of
logsumexp is softmax, so one row contributes softmax(z) - onehot(y), the prediction minus the target. The mean brings
the factor 1/N, and the chain rule brings the factor g.

Each entry of this difference is between -1 and 1, and each row sums to 0. The difference goes to 0 as the probability
of the label goes to 1. Differentiating log and softmax separately would divide by a probability that may have
underflowed. The combined form divides by no probability, and no exponential exceeds 1 if the row maximum is subtracted
first. Subtract the 1 at the label in a new array, because the caller still uses `logits`.

Cost: backward recomputes softmax from the logits, with a maximum, exponentials and a sum per row, as in the forward.
The result has N·C numbers, like the logits. If the forward had saved its logsumexp, which is one number per row,
exp(z - logsumexp) would give the probabilities without a reduction. Saving the probabilities themselves takes another
N·C numbers.

PyTorch: `cross_entropy` with class indices is `log_softmax` followed by `nll_loss`. The backward of `cross_entropy`
consists of the backwards of these two functions. `NllLossBackward0` makes an N x C array with -g/N at the labels and 0
elsewhere. From each row of this array, `LogSoftmaxBackward0` subtracts the row's sum times exp(log-softmax). Both nodes
save the log-softmax, in one shared array. `NllLossBackward0` also saves the labels. A label that is not a class raises
`IndexError` on the CPU, except for `ignore_index`, which is -100 by default.

Asked next:

- With label smoothing or distillation, the label is a distribution q. How does the gradient change? → q replaces the
  one-hot row, so the gradient is softmax(z) - q. This formula holds if q sums to 1. If q sums to s, the first term is
  s·softmax(z), so code without the factor s is wrong.
- The vocabulary size C is 128,000, and the logits do not fit into memory. What can be done? → Process the rows in
  chunks. For each chunk, the forward computes the logits, the loss, and also the gradients of the hidden states and the
  output weights. Then the forward drops the chunk's logits. All gradients are linear in the scalar g, so backward only
  multiplies the stored gradients by g.
- The vocabulary is split over several GPUs. What must the GPUs exchange? → The GPUs must exchange a maximum and a sum
  of exponentials per row. The loss also needs the logit of the label, which only one GPU has. Each GPU then computes
  the gradient of its own columns without further exchange.
- What is the second derivative of a row's loss with respect to its logits? → With p = softmax(z), the second derivative
  is diag(p) - p pᵀ. This is the covariance matrix of a one-hot label drawn from p. It is positive semidefinite, so the
  loss is convex in the logits. The loss does not change along the direction of all ones.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "Write log softmax(z)_y as z_y minus a second term. What is the gradient of the second term?",
    (
        "One row gives softmax(logits) minus the one-hot label. The mean divides by N, and the chain rule multiplies "
        "by g."
    ),
    (
        "Subtract each row's maximum, exponentiate, and normalise into a new array p. Then use `p[np.arange(N), y] -= "
        "1`, and scale."
    ),
)


# If the logits were a few tens apart, the case would test digits of p - 1 that only one order of operations keeps. So
# these logits are hundreds apart.
def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-20, 21, shape)


CASES = [
    given("logits[N,C] y[N]", y=below("C"), large={"N": 20, "C": 5000}),
    given(
        "logits[N,C] y[N]",
        y=below("C"),
        logits=hundreds,
        smooth=False,
        large=False,
        note="logits of ±1000",
    ),
    given("logits[1,3] y[1]", logits=[[1.0, 2.0, -1.0]], y=[1], note="one row"),
]


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
    "If every row is in the batch twice, should the gradient of a row stay the same?",
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
    "Gradient descent must raise the logit of the true class. Does a step with your gradient raise it?",
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


@mistake("divide-by-NC", "the mean runs over every element", "How many terms does one row contribute to the loss?")
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p * (g / logits.dtype.type(logits.size))


@mistake(
    "mutates",
    "the logits may be used as scratch memory",
    "Does the caller still need `logits`? Does your softmax share memory with `logits`?",
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
    "If the prediction is perfect, the gradient must be 0. Where does your code use the labels?",
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
    "The prediction and the label come from the same term of the loss. Does 1/N apply to both, or only to the label?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] -= logits.dtype.type(1 / len(y))
    return p * g


@mistake(
    "g-on-softmax-only",
    "g scales only the prediction",
    "With g = 0 the whole gradient must be 0. Is the label's term 0 in your code?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = g * softmax(logits)
    p[np.arange(len(y)), y] -= 1
    return p / logits.dtype.type(len(y))


@mistake(
    "global-shift",
    "one maximum serves the whole batch",
    "Suppose all logits of one row are 1000 below the batch's largest. What is the sum of that row's exponentials?",
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
    "How many separate softmaxes does a batch of N rows have?",
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
    "the 1 at the label is added",
    "If the prediction is perfect, the gradient must be 0. Is your gradient 0 then?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), y] += 1
    return p * (g / len(y))


@mistake(
    "label-alone",
    "at the label the gradient does not contain the prediction",
    "At the label the gradient is p - 1. What does your code write there?",
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
    "Take y = [1, 1]. From how many rows must 1 be subtracted?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    labels, first = np.unique(y, return_index=True)
    p[first, labels] -= 1
    return p * (g / len(y))


@mistake(
    "log-probabilities",
    "the gradient is the log-probability minus the target",
    "The gradient of logsumexp is a softmax. Does a softmax contain a logarithm?",
)
def softmax_cross_entropy_backward(g, logits, y):
    z = logits - logits.max(axis=1, keepdims=True)
    p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "one-over-p",
    "the gradient with respect to the probabilities is the answer",
    "-1/p is the slope of -log p. Which step leads from the logits to p?",
)
def softmax_cross_entropy_backward(g, logits, y):
    rows, d = np.arange(len(y)), np.zeros_like(logits)
    d[rows, y] = -1 / np.maximum(softmax(logits)[rows, y], 1e-30)
    return d * (g / len(y))


@mistake(
    "argmax-for-label",
    "1 is subtracted at the most probable class",
    "The model is wrong: the largest logit is not at the label. Which logit must rise?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    p[np.arange(len(y)), logits.argmax(axis=1)] -= 1
    return p * (g / len(y))


def clipped_softmax(z, bound):
    e = np.exp(np.clip(z, -bound, bound))
    return e / e.sum(axis=1, keepdims=True)


@mistake(
    "logits-clipped",
    "clipping the logits before exp prevents the overflow and changes nothing else",
    "A row has the logits 900 and 1000. What are its probabilities, before and after your clip?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = clipped_softmax(logits, 500)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "logits-clipped-early",
    "the logits have the same softmax after a clip as before it",
    "A row has the logits 900 and 1000. What are its probabilities, before and after your clip?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = clipped_softmax(logits, 50)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "mean-shift",
    "subtracting the mean of a row keeps its exponentials finite",
    "A row holds 1000, -1000 and 0. What is the largest number after your shift? What is its exponential?",
)
def softmax_cross_entropy_backward(g, logits, y):
    e = np.exp(logits - logits.mean(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))


@mistake(
    "epsilon-in-log",
    "a small number may be added to p in log p",
    "The label has the probability 0. What is p/(p + 1e-8) there, and what should it be?",
)
def softmax_cross_entropy_backward(g, logits, y):
    p = softmax(logits)
    q = np.zeros_like(p)
    q[np.arange(len(y)), y] = 1
    dp = -q / (p + 1e-8)
    return p * (dp - (dp * p).sum(axis=1, keepdims=True)) * (g / len(y))
