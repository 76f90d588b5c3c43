"""The forward of attention has three steps. Backward takes the same steps in reverse order.

The last step is the matrix product out = p v. Its backward gives dv = pᵀ g and dp = g vᵀ.

The second step is p = softmax(s), row by row. Its backward gives ds = p ∘ (dp - δ). The product ∘ is elementwise, and
δ = Σ_j dp_j p_j is one number per row.

The first step is s = q kᵀ/√d, a matrix product and a scale. Its backward gives dq = ds k/√d and dk = dsᵀ q/√d. The
scale 1/√d appears once in dq and once in dk.

Two checks follow. Adding a constant to all scores of a query does not change p, so the rows of ds sum to 0. With a
single key, p is always 1, so dq and dk are 0.

δ can also be computed without dp: Σ_j dp_j p_j = Σ_j Σ_c g_c v_jc p_j = Σ_c g_c out_c. So δ is the dot product g · out
of each row, a sum over the e columns.

Cost: with p saved, four matrix products and n·m saved numbers per head. The forward has two matrix products.
FlashAttention saves one log-sum-exp per row instead of p. It recomputes p from q and k, which is a fifth product, and
computes δ = g · out in advance. FlashAttention can then process one block of keys at a time, so the whole n x m matrix
never exists.

PyTorch: Code written with `@` and `softmax` saves p. On a CPU,
`torch.nn.functional.scaled_dot_product_attention` uses a fused kernel (`ScaledDotProductFlashAttentionForCpuBackward0`)
if the inputs are 4-D and of equal width and dropout is off. That kernel saves q, k, v, out and one log-sum-exp per row.
For 3-D inputs, for e ≠ d, with dropout, or for a mask that needs a gradient, the function composes the three steps and
saves p. On CUDA the function chooses between several kernels.

Asked next:

- What changes under a causal mask? → The formulas stay the same. If the mask forbids a key, both p and ds = p ∘ (dp -
  δ) are 0 for that key. The amount of work can fall, because a block whose p is all 0 may be skipped.
- Why does the scale 1/√d matter for backward? → If the entries of q and k are independent with mean 0 and variance 1,
  an unscaled score has variance d. Large scores make p nearly one-hot, and then ds is nearly 0.
- Dropout is applied to p. Is δ still g · out? → Yes. Let r be the rate, M the mask divided by 1 - r, and p̃ = p ∘ M.
  Then dp is M ∘ (g vᵀ), so Σ_j dp_j p_j = Σ_j (g · v_j) p̃_j = g · out. The formula of dv uses p̃, and the formula of
  ds uses p.
- Four query heads share one k and one v, as in grouped-query attention. What are dk and dv? → dk is the sum of the four
  heads' dk, and dv is the sum of their dv. Sharing is a broadcast over the heads, and the backward of a broadcast is a
  sum.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Go back one step at a time: the product with v, the softmax, the scaled product of q and k.",
    (
        "dv = pᵀ g and dp = g vᵀ. Softmax's VJP along the rows gives ds. Then dq = ds k and dk = dsᵀ q, both times "
        "the scale."
    ),
    "`x.mT` exchanges the last two axes only. Use `keepdims=True` in the row sum, and apply the scale once, in ds.",
)


def far_apart(rng, shape, _):
    keys = rng.normal(30, 0.1, shape)
    keys[..., :1, :] *= -1
    return keys


CASES = [
    # The large case has one query and many keys. Correct loops over elements take half a second there, and a Jacobian
    # of a row takes gigabytes.
    given("q[n,d] k[m,d] v[m,e]", large={"n": 1, "m": 40_000, "d": 2, "e": 3}),
    given("q[b,n,d] k[b,m,d] v[b,m,e]", large=False),
    given("q[b,h,n,d] k[b,h,m,d] v[b,h,m,e]", large=False),
    given("q[n,d] k[1,d] v[1,e]", large=False, note="a single key"),
    given("q[2,1,2,n,n] k[2,1,2,n,n] v[2,1,2,n,n]", large=False, note="three batch axes, all square"),
    given("q[n,d] k[m>=3,d] v[m,e]", q=normal(0.1, 30), k=far_apart, large=False, note="scores of ±1000"),
]


def forward(q, k, v):
    return engine.scaled_dot_product_attention(q, k, v)


def saved(q, k, v):
    return {"p": engine.softmax(q @ k.mT / q.shape[-1] ** 0.5)}


def attention_backward(g, q, k, v, p):
    dv = p.mT @ g
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds.mT @ q, dv


def of_scores(ds, q, k):
    return ds @ k, ds.mT @ q


def of_product(g, v, p):
    return g @ v.mT, p.mT @ g


@mistake(
    "no-scale",
    "the scale belongs only to the forward",
    "By how much does a score move when q·k moves by 1?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)), q, k), dv


@mistake(
    "sigmoid-like-softmax",
    "each probability depends only on its own score",
    "Raise all scores of one query by the same amount: p stays the same. Do the rows of your ds sum to 0?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(dp * p * (1 - p) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dk-not-transposed",
    "dk uses ds without a transpose, as dq does",
    "dk has the shape of k. Is dk a sum over the queries or over the keys?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds @ q, dv


@mistake(
    "softmax-skipped",
    "the gradient of the probabilities is also the gradient of the scores",
    "The forward took three steps. Which step does your backward skip?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(dp / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dv-uses-scores",
    "v is multiplied by the scores, not by the probabilities",
    "out = p @ v: what multiplies v here?",
)
def attention_backward(g, q, k, v, p):
    dp, _ = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), (q @ k.mT).mT @ g


@mistake("no-row-sum", "the slope of softmax is p", "The rows of ds must sum to 0. Do the rows of your ds sum to 0?")
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * dp / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dv-not-transposed",
    "dv is p g, without a transpose",
    "Which values did query i read? Which queries therefore contribute to the gradient of value j?",
)
def attention_backward(g, q, k, v, p):
    dp, _ = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), p @ g


@mistake("column-sum", "softmax normalised over the queries", "What sums to 1 in p: a row or a column?")
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-2, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "scale-d",
    "the scores were divided by d",
    "Were the scores divided by d or by its square root? How many times does your dq contain 1/√d?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1], q, k), dv


@mistake(
    "full-transpose",
    "`.T` exchanges only the last two axes",
    "Print `p.T.shape` for a p with a batch axis. Which axes were exchanged?",
)
def attention_backward(g, q, k, v, p):
    dp = g @ v.T
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds.T @ q, p.T @ g


@mistake(
    "scale-on-dq-only",
    "only dq contains the scale",
    "A score is q·k over √d. What are its derivatives with respect to q and with respect to k?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    dq, dk = of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)), q, k)
    return dq / q.shape[-1] ** 0.5, dk, dv


@mistake(
    "whole-sum",
    "the softmax runs over the whole matrix of scores",
    "Which probabilities must sum to 1? Over which elements does your sum of dp * p run?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=(-2, -1), keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "mean-of-row",
    "the backward of softmax subtracts the mean of dp * p over the keys",
    (
        "The subtracted number is an average of dp. Which weights does this average need? Which weights does your "
        "code use?"
    ),
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).mean(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "width-of-v",
    "the scores were divided by the root of v's width",
    "q has shape (..., n, d), and v has shape (..., m, e). Which of these sizes is under the root in the task?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / v.shape[-1] ** 0.5, q, k), dv


@mistake(
    "root-of-keys",
    "the scores were divided by the root of the number of keys",
    "Which axis of q has the size d? Which size is under the root in your code?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / k.shape[-2] ** 0.5, q, k), dv


@mistake(
    "first-axis-of-q",
    "d is the size of the first axis of q",
    "q has shape (..., n, d). Which axis has the size d, and which axis does your code take?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[0] ** 0.5, q, k), dv


@mistake(
    "weights-outside",
    "the factor p multiplies only dp, not the row sum",
    "The rows of ds must sum to 0. Do the rows of your ds sum to 0?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores((p * dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "unweighted-sum",
    "the backward of softmax subtracts the sum of dp",
    "The subtracted number is an average of dp. Which weights does this average have?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - dp.sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "unweighted-mean",
    "the backward of softmax subtracts the mean of dp",
    "The subtracted number is an average of dp. Which weights does this average have?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - dp.mean(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "scale-on-dk-only",
    "only dk contains the scale",
    "A score is q·k over √d. What are its derivatives with respect to q and with respect to k?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    dq, dk = of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)), q, k)
    return dq, dk / q.shape[-1] ** 0.5, dv


@mistake(
    "times-root",
    "backward multiplies by √d because the forward divided by it",
    "Let d be 100. If q·k moves by 1, does the score move by 10 or by 1/10?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "scale-on-dv",
    "dv contains the scale as well",
    "out = p @ v. What is the slope of out with respect to v? Does it contain √d?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), dv / q.shape[-1] ** 0.5


@mistake(
    "softmax-of-p",
    "p holds the scores, so it still needs a softmax",
    "What does each row of p sum to? Which step of the forward produced p?",
)
def attention_backward(g, q, k, v, p):
    e = np.exp(p)
    p = e / e.sum(axis=-1, keepdims=True)
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dv-uses-ds",
    "dv is computed from the gradient of the scores",
    "Does v enter the scores? By which matrix is v multiplied in the forward?",
)
def attention_backward(g, q, k, v, p):
    dp, _ = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), ds.mT @ g


@mistake(
    "jacobian",
    "softmax needs its Jacobian, a matrix for each query",
    "How many entries does the Jacobian of a row of 50,000 scores have? Can p ∘ (dp - δ) replace the product with it?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    J = p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])
    return *of_scores((J @ dp[..., None])[..., 0] / q.shape[-1] ** 0.5, q, k), dv
