"""L is a sum of products of a share f_e and a mean probability. The share is a count divided by N·k. A small change of
the logits changes no choice, so f is a constant and only p carries a gradient:

    dp_ne = g · E/N · f_e

All tokens have the same row of dp. The entry of a popular expert is larger, because its share f_e is larger. Each row
of p is a softmax. The backward of softmax subtracts the mean of dp, weighted with p, and multiplies the difference by
p:

    dlogits_ne = p_ne (dp_ne - Σ_j dp_nj p_nj)

Take the mean of the shares, weighted with p. Descent lowers the logit of an expert whose share is above this mean, and
raises the logit of an expert whose share is below it.

Two checks follow. If all shares are equal, as for k = E, dp is constant along the row, so dlogits is 0. L is then 1 for
each E and each p. Each row of dlogits always sums to 0.

Cost: one softmax, one selection of k experts per token, and four other operations per logit. Saving p and the E shares
is enough for the backward.

PyTorch: there is no such loss in `torch.nn`. Model code takes the indices of `topk` and counts them with `one_hot` or
`bincount`. The results are integers, which autograd does not track, so f is a constant even without a `detach`.
Conventions differ. The Mixtral model of Hugging Face divides the counts by N and not by N·k, so its loss and gradient
are k times as large.

Asked next:

- f has no gradient. How can the loss change f at all? → The loss changes f only through p. It pulls p away from popular
  experts until the order of some logits changes. Then the choices and f change in a jump.
- Why not use Σ_e (mean_n p_ne)², in which both factors are differentiable? → It balances the mean probabilities, not
  the choices. The probabilities can be balanced while one expert wins most choices by a small margin.
- Should f be computed over the micro-batch of a rank or over the global batch? → A micro-batch holds few sequences. The
  loss then forces balance within each micro-batch, which works against specialised experts. An all-reduce of the counts
  asks for balance only over the global batch. The formula of the gradient stays the same, because f is a constant in
  both cases.
- This loss and the main loss both pull on the router. Which alternative does not disturb the main gradient? → Give each
  expert a bias that is added only for the selection. After each step, a rule lowers the bias of overloaded experts and
  raises the bias of the others.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Which of the two factors f and p is a count? What is the slope of a count with respect to the logits?",
    "dp is g·E·f/N, the same row for each token. Then apply the backward of softmax along the rows.",
    (
        "Count the choices with `np.bincount(..., minlength=E)`. Return p times (dp minus a sum over each row). Which "
        "product do you sum?"
    ),
)
CASES = [
    given("logits[6,4]", k=2, note="k=2"),
    given("logits[5,3]", k=1, large=False, note="k=1"),
    given("logits[4,3]", k=3, large=False, note="all experts chosen"),
    given("logits[1,4]", k=1, large=False, note="one token"),
    given(
        "logits[3,3]",
        logits=[[9.0, 0.5, 1.0], [8.0, 1.0, -1.0], [9.5, 0.0, 2.0]],
        k=1,
        large=False,
        note="one expert for all tokens",
    ),
    given(
        "logits[3,3]",
        logits=[[1.0, 1.0, 1.0], [0.0, 2.0, 0.0], [3.0, 1.0, 3.0]],
        k=2,
        smooth=False,
        note="equal logits",
    ),
    given(
        "logits[2,3]",
        logits=[[1.0, 1 + 1e-9, 0.0], [2 - 1e-9, -1.0, 2.0]],
        k=1,
        smooth=False,
        note="nearly equal logits",
    ),
    given(
        "logits[2,3]",
        logits=[[1000.0, 999.0, -1000.0], [-1000.0, -999.0, -998.5]],
        k=1,
        smooth=False,
        note="logits of ±1000",
    ),
    given(
        "logits[2,3]",
        logits=[[-2000.0, 0.0, -1000.0], [1.0, 2.0, 0.5]],
        k=2,
        smooth=False,
        note="probabilities that underflow",
    ),
]
MISTAKES = [
    edit(
        "softmax-skipped",
        "the gradient of the probabilities is also the gradient of the logits",
        "Add 1 to all logits of a token: L stays the same. Does each row of dlogits sum to 0?",
        "return ... -> return np.broadcast_to(dp, p.shape).copy()",
    ),
    edit(
        "softmax-diagonal",
        "each probability depends only on its own logit",
        "Raise one logit. What happens to the other probabilities of the token?",
        "(dp - (dp * p).sum(axis=1, keepdims=True)) -> (dp * (1 - p))",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "Add 1 to all logits of a token: L stays the same. Does each row of dlogits sum to 0?",
        "(dp - (dp * p).sum(axis=1, keepdims=True)) -> dp",
    ),
    edit(
        "weights-by-P",
        "the share of an expert is its mean probability",
        "Which of the two factors is a count of choices?",
        "f = ... -> f = p.mean(axis=0)",
    ),
    edit(
        "both-factors",
        "both factors are mean probabilities, and the product rule gives a factor of 2",
        "Which of the two factors is a count? Does a count have a slope?",
        "f = ... -> f = 2 * p.mean(axis=0)",
    ),
    edit(
        "no-E",
        "L does not contain the factor E",
        "If the shares are balanced, the task's L is 1 for every E. Which factor makes L equal to 1?",
        "g * E / N -> g / N",
    ),
    edit(
        "no-mean",
        "L contains the sum of p over the tokens",
        "If every token is in the batch twice, should the gradient of a token stay the same?",
        "g * E / N -> g * E",
    ),
    edit(
        "f-over-tokens",
        "the counts are divided by the number of tokens",
        "Each token makes k choices. Do your shares sum to 1 or to k?",
        "f = ... -> f = count.astype(p.dtype) / N",
    ),
    edit(
        "first-choice-only",
        "only the largest logit of a token counts as a choice",
        "How many choices does a token make? How many of them do you count?",
        "[:, :k] -> [:, :1]",
    ),
    edit(
        "ties-to-the-last",
        "among equal logits, the expert with the higher index comes first",
        "All logits of a token are equal. Which expert does the task choose first, and which does your code choose?",
        "chosen = ... -> chosen = np.argsort(logits, axis=1, kind='stable')[:, ::-1][:, :k]",
    ),
    edit(
        "not-shifted",
        "the exponential of a logit is finite",
        "What is exp(1000) in floating point? Which number may be subtracted from a row without changing its softmax?",
        "logits - logits.max(axis=1, keepdims=True) -> logits",
    ),
    edit(
        "nearly-equal-ties",
        "logits that are nearly equal tie",
        "Two logits differ by 1e-9. Which expert does the task choose?",
        "np.argsort(-logits -> np.argsort(-np.round(logits, 6)",
    ),
]


def forward(logits, k):
    N, E = logits.shape
    _, chosen = engine.topk(logits, k)
    f = np.bincount(chosen.ravel(), minlength=E) / (N * k)
    return E * (engine.softmax(logits).mean(axis=0) * f).sum()


def load_balancing_loss_backward(g, logits, k):
    N, E = logits.shape
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :k]
    count = np.bincount(chosen.ravel(), minlength=E)
    f = count.astype(p.dtype) / (N * k)
    dp = g * E / N * f
    return p * (dp - (dp * p).sum(axis=1, keepdims=True))
