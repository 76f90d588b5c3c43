"""Along the axis, out_i = x_i - ℓ with the log-sum-exp ℓ = log Σ_k exp(x_k). The gradient of ℓ is the softmax, and the
output is the logarithm of the softmax:

    ∂ℓ/∂x_j = exp(x_j) / Σ_k exp(x_k) = p_j,    p = exp(out)

So ∂out_i/∂x_j = δ_ij - p_j, where δ_ij is 1 for i = j and 0 otherwise. Multiply by g_i and sum over i:

    dx_j = g_j - p_j Σ_i g_i

The first term is the direct path from x_j to out_j. The second term is the path through ℓ. The same ℓ is subtracted
from each logit of the row, so dL/dℓ is minus the plain sum of g. The factor p_j is the slope ∂ℓ/∂x_j and multiplies
this sum.

Two checks follow. Adding a constant to a row of logits does not change the output, so dx sums to 0 along the axis. In a
row of one logit, out is always 0, so dx is 0.

Cost: one exponential, one product, one subtraction and one addition per element. The forward also takes one exponential
per element. Only the output is saved. The exponential cannot overflow, because out is at most 0.

PyTorch: `LogSoftmaxBackward0` saves the result and computes this formula. At a logit of -∞ among finite ones, p is 0
and dx is g. The backward of softmax gives such a logit the gradient 0 for any finite g. A row that contains only -∞
gives NaN in both passes.

Asked next:

- The loss is -out[y] for one label y. What is dx? → g is -1 at y and 0 elsewhere, so its sum is -1 and dx = p -
  onehot(y). This is the gradient of cross-entropy.
- Why not compute log(softmax(x))? → In float32, for the logits (-200, 0), the first probability rounds to 0. The
  logarithm is then -∞ and its slope is ∞. If g is (1, 0), `torch.log(torch.softmax(x, -1))` gives the gradient (NaN,
  NaN). `log_softmax` has the output -200 and the gradient (1, -1).
- A caller gives log-probabilities instead of logits to `F.cross_entropy`. What changes? → Nothing except time. The
  log_softmax in cross_entropy returns log-probabilities unchanged. Its backward returns g - p Σ g, which sums to 0. If
  an earlier log_softmax made the log-probabilities, the backward of that log_softmax subtracts p times this sum, which
  is 0.
- What is the JVP? → With a tangent v, the JVP is v_i - Σ_j p_j v_j. The Jacobian δ_ij - p_j is not symmetric, so
  forward mode sums with the weights p, and backward sums without weights.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "The same log-sum-exp is subtracted from each logit of a row. Through which two paths does x_j reach the loss?",
    "The direct path gives g. The log-sum-exp collects the sum of g and passes it on with the probabilities as slopes.",
    "Write `g - ... * g.sum(axis=axis, keepdims=True)`. The dots stand for the probabilities, computed from out.",
)
CASES = [
    given("x[n,m]", axis=-1, large=False),
    given("x[n,m]", axis=0, large=False),
    given("x[k,n,m]", axis=1, large=False),
    given("x[l,k,n,m]", axis=-3, large=False),
    given("x[n]", axis=-1, large=False),
    given("x[n,1]", axis=-1, large=False, note="rows of one logit"),
    given("x[n,m]", axis=-1, x=normal(1000), smooth=False, large=False, note="logits of ±1000"),
    given("x[n,m]", axis=-1, g=1.0, large=False, note="constant cotangent"),
    given(
        "x[n,m]",
        axis=-1,
        large={"n": 2, "m": 50_000},
        memory=16 << 20,
        because="the m x m Jacobian is built",
        note="long rows",
    ),
]
MISTAKES = [
    edit(
        "log-p-for-p",
        "the output holds the probabilities",
        "The saved output is log p. How do you get p from log p?",
        "np.exp(out) -> out",
    ),
    edit(
        "weighted-sum",
        "g is summed with the probabilities as weights, as in softmax",
        "If ℓ grows by 1, each output of the row falls by 1. By how much does the loss change?",
        "g.sum( -> (g * np.exp(out)).sum(",
    ),
    edit(
        "diagonal-only",
        "each output depends only on its own logit",
        "Raise one logit: what happens to the other log-probabilities?",
        "np.exp(out) * g.sum(axis=axis, keepdims=True) -> np.exp(out) * g",
    ),
    edit(
        "mean-not-sum",
        "the log-sum-exp passes on the mean of g",
        "How many outputs contain the log-sum-exp? Do their gradients add up?",
        "g.sum( -> g.mean(",
    ),
    edit(
        "whole-sum",
        "one log-sum-exp serves the whole array",
        "How many log-sum-exps did the forward compute for an (n, m) array?",
        "axis=axis, keepdims=True ->",
    ),
    edit(
        "last-axis",
        "the axis is always the last axis",
        "Which argument does your function never use?",
        "axis=axis -> axis=-1",
    ),
    edit(
        "first-axis",
        "the axis is always the first axis",
        "Which argument does your function never use?",
        "axis=axis -> axis=0",
    ),
    edit(
        "plus",
        "raising one logit raises the other outputs too",
        "Raise one logit: do the other log-probabilities rise or fall?",
        "g - np -> g + np",
    ),
    edit(
        "shift-constant",
        "the log-sum-exp is a constant",
        "Add the same number to all logits of a row. Does the output change? Does your dx sum to 0?",
        "return ... -> return g.copy()",
    ),
    edit(
        "clipped",
        "a log-probability below some bound may be raised to it",
        "A class has out = -2000. Which probability does your code use there, and which one is right?",
        "np.exp(out) -> np.exp(np.maximum(out, -20))",
    ),
    edit(
        "normalised-along-last",
        "the probabilities sum to 1 along the last axis",
        "Along which axis did the forward normalise? Along which axis does your code normalise?",
        "np.exp(out) -> np.exp(out) / np.exp(out).sum(axis=-1, keepdims=True)",
    ),
    edit(
        "shifted-and-normalised-along-last",
        "the probabilities, shifted by a maximum, sum to 1 along the last axis",
        "Along which axis did the forward normalise? Along which axis does your code normalise?",
        "np.exp(out) -> (p := np.exp(out - out.max(axis=axis, keepdims=True))) / p.sum(axis=-1, keepdims=True)",
    ),
]


def forward(x, axis=-1):
    return engine.log_softmax(x, axis=axis)


def log_softmax_backward(g, out, axis=-1):
    return g - np.exp(out) * g.sum(axis=axis, keepdims=True)


@mistake(
    "softmax-rule",
    "the forward computed the softmax, not its logarithm",
    "Which function has the Jacobian p_i (δ_ij - p_j): the softmax or its logarithm?",
)
def log_softmax_backward(g, out, axis=-1):
    p = np.exp(out)
    return p * (g - (g * p).sum(axis=axis, keepdims=True))


@mistake(
    "weights-inside",
    "the probabilities multiply the direct term too",
    "Class j has a probability near 0. By how much does out_j move when x_j moves by 1?",
)
def log_softmax_backward(g, out, axis=-1):
    return np.exp(out) * (g - g.sum(axis=axis, keepdims=True))


@mistake(
    "divided-by-probability",
    "dividing g by p and then applying the softmax rule works for every p",
    "One probability rounds to 0. What are g/p and p · (g/p) there, and what should dx be?",
)
def log_softmax_backward(g, out, axis=-1):
    p = np.exp(out)
    h = g / p
    return p * (h - (h * p).sum(axis=axis, keepdims=True))


@mistake(
    "jacobian",
    "multiplying by the Jacobian requires building it",
    "How many entries does the Jacobian of a row of 50,000 logits have? How many numbers do you return?",
)
def log_softmax_backward(g, out, axis=-1):
    p, h = np.exp(np.moveaxis(out, axis, -1)), np.moveaxis(g, axis, -1)
    J = np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :]
    dx = (h[..., None, :] @ J)[..., 0, :]
    return np.ascontiguousarray(np.moveaxis(dx, -1, axis))


@mistake(
    "moved-back-wrong-way",
    "the call that moved the axis to the end also moves it back",
    "Let axis be 0 and x of shape (2, 3, 4). What shapes does x have after one and after two of your moves?",
)
def log_softmax_backward(g, out, axis=-1):
    g, out = np.moveaxis(g, axis, -1), np.moveaxis(out, axis, -1)
    return np.moveaxis(g - np.exp(out) * g.sum(axis=-1, keepdims=True), axis, -1)
