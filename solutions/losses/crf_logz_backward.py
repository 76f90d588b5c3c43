"""The derivative of log Σ_y exp(score(y)) with respect to any number in the score is an expectation. Softmax over all
paths gives each path the probability p(y) = exp(score(y) - out). em[t, k] occurs once in the score of each path with
y_t = k, and trans[i, j] occurs once for each step from i to j. So

    dem[t, k]    = g · P(y_t = k)
    dtrans[i, j] = g · Σ_(t ≥ 2) P(y_(t-1) = i, y_t = j)

Dynamic programming computes these marginals. Let α_t(k) be the logsumexp of the scores of all beginnings y_1 ... y_t
with y_t = k, including em[t, k]. Let β_t(k) be the logsumexp of the scores of all continuations y_(t+1) ... y_T after
y_t = k, without em[t, k]:

    α_1 = em[1],    α_t(j) = em[t, j] + logsumexp_i (α_(t-1)(i) + trans[i, j])
    β_T = 0,        β_t(i) = logsumexp_j (trans[i, j] + em[t+1, j] + β_(t+1)(j))

Then out is the logsumexp of α_T. A path through y_t = k is a beginning with a continuation, and a path through the pair
(i, j) has one transition between the two:

    P(y_t = k)                = exp(α_t(k) + β_t(k) - out)
    P(y_(t-1) = i, y_t = j)   = exp(α_(t-1)(i) + trans[i, j] + em[t, j] + β_t(j) - out)

Every exponent is the logarithm of a probability, so it is at most 0 up to rounding, and nothing overflows. Two checks
follow. Each row of dem sums to g, because the probabilities of the K labels at one step sum to 1. The entries of dtrans
sum to g·(T - 1), because a path has T - 1 transitions.

Cost: O(T·K²) operations, as for the forward. The forward computes only α. The backward takes about three times as many
operations as the forward. Memory is O(T·K), because the backward adds the probabilities of each step's pairs to dtrans
immediately. The probabilities of all pairs would take T·K² numbers.

PyTorch: PyTorch has no CRF. Autograd differentiates a loop of `torch.logsumexp` steps, and its gradients are the
marginals. The loop saves a K x K array at each step, so about T·K² numbers in all. The library pytorch-crf has such a
loop and no backward of its own.

Asked next:

- The training loss is out - score(y) for the true path y. What is its gradient? → The gradient is the marginals minus
  the counts of the true path. So dem is P(y_t = k) minus a one-hot row for each step, as in cross-entropy. dtrans is
  the expected number of each transition minus its number in y.
- Which algorithm is this backward? → It is the forward-backward algorithm of hidden Markov models. Reverse mode through
  the recursion for α computes the same numbers, and the gradient of α_t is the marginal at step t.
- What is the derivative if every logsumexp is replaced by a maximum? → out is then the score of the best path, as in
  the Viterbi algorithm. The gradient is 1 at each number that the best path uses, and 0 elsewhere. In dtrans, an entry
  that the path uses n times gets n. The backward follows the back-pointers.
- In a batch, the sequences have different lengths. What do you change? → At a padded step, keep α as it was. The
  gradient of the emissions there is 0, and the padded steps add nothing to dtrans.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    (
        "The derivative of a log of a sum of exponentials is a weighted average. Which numbers are averaged here, and "
        "with which weights?"
    ),
    (
        "dem is the probability that step t has label k, and dtrans is the expected number of steps from i to j. "
        "Collect the scores of all beginnings in α and those of all continuations in β, both with logsumexp."
    ),
    (
        "dem is g * exp(α + β - out). For a pair, the exponent starts with α of step t-1 plus the transition, and it "
        "ends with minus out. Which two numbers of step t must you add in between?"
    ),
)
CASES = [
    given("em[T,K] trans[K,K]", large={"T": 200, "K": 30}),
    given("em[1,K] trans[K,K]", large=False, note="one step"),
    given("em[T,1] trans[1,1]", large=False, note="one label"),
    given("em[9,K] trans[K,K]", trans=normal(3), large=False, note="nine steps"),
    given(
        "em[4,3] trans[3,3]",
        em=[[1000.0, 998, 0], [0, -1000, 2], [-2000, 0, 1], [12000, 12001, 11999]],
        trans=[[0.0, 1000, 3], [1, -500, 999], [-1000, 2, 1000]],
        note="scores of ±1000 and more",
    ),
    given(
        "em[3,3] trans[3,3]",
        em=[[0.0, 1.0, -1.0], [0.0, 1.0, 1999.0], [1.0, 0.0, 0.5]],
        trans=[[0.0, 1.0, -1000.0], [2.0, 0.0, -1000.0], [-1000.0, -999.0, -2000.0]],
        note="a label with a high emission and low transitions",
    ),
    given(
        "em[3,2] trans[2,2]",
        em=[[0.0, 0.5], [1.0, -1.0], [0.0, 2.0]],
        trans=[[-40.0, 0.0], [0.0, -40.0]],
        note="neighbours that almost always differ",
    ),
]
EQUIVALENT = {"constant: np.logaddexp.reduce(trans + (em[t] + b[t]), axis=1) -> ...": "the last of two axes is axis 1"}
MISTAKES = [
    edit(
        "filtered",
        "the steps up to t alone decide the probability of a label at step t",
        "Can later emissions change the probability of label 0 at step 1?",
        "dem = g * np.exp(a + b - out) -> dem = g * np.exp(a - np.logaddexp.reduce(a, axis=1)[:, None])",
    ),
    edit(
        "last-transition",
        "trans is used at one step only",
        "How many steps use trans? How do the gradients from these steps combine?",
        "dtrans += -> dtrans =",
    ),
    edit(
        "transposed",
        "the row of trans is the later label",
        "In trans[i, j], which of the labels i and j is the earlier one?",
        "return dem, dtrans -> return dem, dtrans.T",
    ),
    edit(
        "emission-missing",
        "a transition does not include the emission of the later label",
        "β of step t excludes em[t]. Which term of the score does your exponent lack?",
        "trans + (em[t] + b[t]) - out -> trans + b[t] - out",
    ),
    edit(
        "emission-counted-twice",
        "β contains the emission of its own step",
        "Do the probabilities of the labels of a step sum to 1 in your code?",
        "dem = g * np.exp(a + b - out) -> dem = g * np.exp(a + b + em - out)",
    ),
    edit(
        "starts-from-trans",
        "step 1 has a transition too",
        "How many transitions does a path of one step have?",
        "a[0] = em[0] -> a[0] = em[0] + np.logaddexp.reduce(trans, axis=0)",
    ),
    edit(
        "continuations-transposed",
        "the recursion for β sums over the earlier label",
        "β of label i at step t sums over the label j of step t + 1. Along which axis of trans does j run?",
        "trans + (em[t] + b[t]), axis=1) -> trans + (em[t] + b[t])[:, None], axis=0)",
    ),
    edit(
        "beginnings-transposed",
        "the recursion for α sums over the later label",
        "α of label j at step t sums over the label i of step t - 1. Along which axis of trans does i run?",
        "a[t - 1][:, None] + trans, axis=0) -> a[t - 1] + trans, axis=1)",
    ),
    edit(
        "first-emission-missing",
        "the first step has no emission",
        "Which emission does a path of one step have?",
        "a[0] = em[0] -> a[0] = 0",
    ),
]


def forward(em, trans):
    a = em[0]
    for t in range(1, len(em)):
        a = em[t] + engine.logsumexp(engine.expand_dims(a, 1) + trans, axis=0)
    return engine.logsumexp(a, axis=0)


def crf_logz_backward(g, em, trans):
    a, b, dtrans = np.empty_like(em), np.empty_like(em), np.zeros_like(trans)
    a[0] = em[0]
    for t in range(1, len(em)):
        a[t] = em[t] + np.logaddexp.reduce(a[t - 1][:, None] + trans, axis=0)
    out = np.logaddexp.reduce(a[-1])
    b[-1] = 0
    for t in reversed(range(1, len(em))):
        b[t - 1] = np.logaddexp.reduce(trans + (em[t] + b[t]), axis=1)
        dtrans += g * np.exp(a[t - 1][:, None] + trans + (em[t] + b[t]) - out)
    dem = g * np.exp(a + b - out)
    return dem, dtrans


@mistake(
    "independent-labels",
    "neighbouring labels are independent",
    "Suppose trans makes equal neighbours almost impossible. Is P(0, 0) the product of two marginals?",
)
def crf_logz_backward(g, em, trans):
    a, b = np.empty_like(em), np.zeros_like(em)
    a[0] = em[0]
    for t in range(1, len(em)):
        a[t] = em[t] + np.logaddexp.reduce(a[t - 1][:, None] + trans, axis=0)
    for t in reversed(range(1, len(em))):
        b[t - 1] = np.logaddexp.reduce(trans + (em[t] + b[t]), axis=1)
    p = np.exp(a + b - np.logaddexp.reduce(a[-1]))
    return g * p, g * (p[:-1].T @ p[1:])


@mistake(
    "best-path",
    "only the best path contributes to the gradient",
    "out sums over all paths. Which paths contribute to its derivative?",
)
def crf_logz_backward(g, em, trans):
    best, came = em[0], []
    for t in range(1, len(em)):
        s = best[:, None] + trans
        came.append(s.argmax(axis=0))
        best = em[t] + s.max(axis=0)
    path = [int(best.argmax())]
    for pointers in reversed(came):
        path.append(int(pointers[path[-1]]))
    path.reverse()
    dem, dtrans = np.zeros_like(em), np.zeros_like(trans)
    dem[np.arange(len(em)), path] = g
    np.add.at(dtrans, (path[:-1], path[1:]), g)
    return dem, dtrans


@mistake(
    "probability-domain",
    "the exponentials of scores can be multiplied directly",
    "What is exp(1000) in floating point? What is infinity divided by infinity?",
)
def crf_logz_backward(g, em, trans):
    e, m = np.exp(em), np.exp(trans)
    a, b, dtrans = np.empty_like(em), np.ones_like(em), np.zeros_like(trans)
    a[0] = e[0]
    for t in range(1, len(em)):
        a[t] = e[t] * (a[t - 1] @ m)
    for t in reversed(range(1, len(em))):
        b[t - 1] = m @ (e[t] * b[t])
        dtrans += np.outer(a[t - 1], e[t] * b[t]) * m
    return g * (a * b / a[-1].sum()), g * (dtrans / a[-1].sum())


@mistake(
    "continuations-transposed-normalised",
    "β reads trans as α does, by columns",
    "Make trans asymmetric. Which label of trans[i, j] does β at step t know, and over which label does β sum?",
)
def crf_logz_backward(g, em, trans):
    a, b, dtrans = em.copy(), np.zeros_like(em), np.zeros_like(trans)
    for t in range(1, len(em)):
        a[t] += np.logaddexp.reduce(a[t - 1][:, None] + trans, axis=0)
    for t in reversed(range(1, len(em))):
        pair = a[t - 1][:, None] + trans + (em[t] + b[t])
        dtrans += g * np.exp(pair - np.logaddexp.reduce(pair, axis=None))
        b[t - 1] = np.logaddexp.reduce(trans + (em[t] + b[t])[:, None], axis=0)
    return g * np.exp(a + b - np.logaddexp.reduce(a + b, axis=1)[:, None]), dtrans


@mistake(
    "sum-of-nothing",
    "Python's `sum` over the transitions is always an array",
    "A path of one step has no transition. What does `sum` return for no terms, and which shape must dtrans have?",
)
def crf_logz_backward(g, em, trans):
    a, b = em.copy(), np.zeros_like(em)
    for t in range(1, len(em)):
        a[t] += np.logaddexp.reduce(a[t - 1][:, None] + trans, axis=0)
    for t in reversed(range(1, len(em))):
        b[t - 1] = np.logaddexp.reduce(trans + (em[t] + b[t]), axis=1)
    ends, out = em + b, np.logaddexp.reduce(a[-1])
    pairs = sum(np.exp(a[t - 1][:, None] + trans + ends[t] - out) for t in range(1, len(em)))
    return g * np.exp(a + b - out), np.asarray(g * pairs, trans.dtype)


@mistake(
    "scaled-probabilities",
    "exponentials cannot underflow if every step is scaled",
    "The largest entry of trans is 1000 and another is 0. What is exp(0 - 1000)? Which row of α can sum to 0?",
)
def crf_logz_backward(g, em, trans):
    e, m = np.exp(em - em.max(axis=1, keepdims=True)), np.exp(trans - trans.max())
    a, b, dtrans = e / e.sum(axis=1, keepdims=True), np.ones_like(e), np.zeros_like(trans)
    for t in range(1, len(e)):
        step = e[t] * (a[t - 1] @ m)
        a[t] = step / step.sum()
    for t in reversed(range(1, len(e))):
        ends = e[t] * b[t]
        pair = np.outer(a[t - 1], ends) * m
        dtrans += g * (pair / pair.sum())
        b[t - 1] = m @ ends / (m @ ends).sum()
    p = a * b
    return g * (p / p.sum(axis=1, keepdims=True)), dtrans
