"""Three steps forward, so three steps back.

out = p v is a matrix product: dv = pᵀ g, dp = g vᵀ.

p = softmax(s) row by row, so ds = p ∘ (dp - δ), where δ is one number a row: δ = Σ_j dp_j p_j.

s = q kᵀ/√d is a matrix product and a scale: dq = ds k/√d, dk = dsᵀ q/√d. The scale stands on both, once on each.

Rows of ds sum to 0: raising all scores of a query changes nothing. With a single key p is 1 and dq, dk vanish.

δ can be had without dp: Σ_j dp_j p_j = Σ_j Σ_e g_e v_je p_j = g · out, a dot product of length e.

Cost: with p kept four matrix products where the forward has two, and n·m numbers a head for p. FlashAttention keeps one
logarithm a row instead and makes p again from q and k, a fifth product; with δ = g · out known beforehand it can treat
one block of keys at a time, and the n x m matrix is never whole.

PyTorch: written with `@` and `softmax`, p is kept. `torch.nn.functional.scaled_dot_product_attention` on a CPU took a
fused kernel for 4-D inputs of one width without dropout (`ScaledDotProductFlashAttentionForCpuBackward0`), which keeps
q, k, v, out and one log-sum-exp a row; for 3-D inputs, for e ≠ d, with dropout or for a mask that needs a gradient it
composed the steps, and p was kept again. On CUDA it chooses between several kernels.

Asked next:

- What changes under a causal mask? → Nothing in the formulas: where the mask forbids, p is 0, and so is ds = p ∘ (dp -
  δ). What can change is the work, as blocks whose p is all 0 may be skipped.
- Why divide by √d, seen from backward? → If the entries of q and k are independent with mean 0 and variance 1, a score
  has variance d before the scale. Large scores bring p close to one-hot, and there ds is close to 0.
- Dropout is applied to p: is δ still g · out? → Yes. With m the mask over 1 - r and p̃ = p ∘ m, dp is m ∘ (g vᵀ), so
  Σ_j dp_j p_j = Σ_j (g · v_j) p̃_j = g · out. dv takes p̃, ds takes p.
- Four query heads share one k and one v, as in grouped-query attention: what are dk and dv? → The sums of the four
  heads' dk and dv. Sharing is broadcasting over the heads, and its backward is a sum.
"""

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Go back through one step at a time: the product with v, the softmax, the product of q and k with its scale.",
    "dv = pᵀ g; dp = g vᵀ; ds by the rule of softmax, along rows; then ds times k, and dsᵀ times q, both scaled.",
    "`x.mT` transposes under batch axes; `keepdims=True` in the row sum; the scale once, into ds.",
)


def far_apart(rng, shape, _):
    keys = rng.normal(30, 0.1, shape)
    keys[..., :1, :] *= -1
    return keys


CASES = [
    # Few scores of long vectors: element loops, which are right, take half a second, and differences several.
    given("q[n,d] k[m,d] v[m,e]", empty=False, large={"n": 10, "m": 12, "d": 1500, "e": 1800}),
    given("q[b,n,d] k[b,m,d] v[b,m,e]", empty=False, large=False),
    given("q[b,h,n,d] k[b,h,m,d] v[b,h,m,e]", empty=False, large=False),
    given("q[n,d] k[1,d] v[1,e]", empty=False, large=False, note="a single key"),
    given("q[2,1,2,n,n] k[2,1,2,n,n] v[2,1,2,n,n]", empty=False, large=False, note="three batch axes, all square"),
    given("q[n,d] k[m,d] v[m,e]", q=normal(0.1, 30), k=far_apart, empty=False, large=False, note="scores of ±1000"),
]
EQUIVALENT = {"operand: q.shape[-1] -> k.shape[-1]": "queries and keys have one length"}


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
    "the scale belongs to the forward only",
    "By how much does a score move when q·k moves by 1?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)), q, k), dv


@mistake(
    "sigmoid-like-softmax",
    "each probability depends on its own score only",
    "Raise all scores of one query together: nothing moves. Do the rows of your ds sum to 0?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(dp * p * (1 - p) / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dk-not-transposed",
    "ds serves dq and dk in the same way",
    "dk has the shape of k. Over which index is it a sum: that of the queries or that of the keys?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds @ q, dv


@mistake(
    "softmax-skipped",
    "the gradient of the probabilities is that of the scores",
    "Which three steps did the forward take, and which one did you not go back through?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(dp / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dv-uses-scores",
    "v was multiplied by the scores",
    "out = p @ v: what multiplies v there?",
)
def attention_backward(g, q, k, v, p):
    dp, _ = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), (q @ k.mT).mT @ g


@mistake("no-row-sum", "p is the slope of softmax", "The rows of ds must sum to 0. Do yours?")
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * dp / q.shape[-1] ** 0.5, q, k), dv


@mistake(
    "dv-not-transposed",
    "p itself carries the gradient back to v",
    "Which values did query i read, and so which queries does the gradient of value j come from?",
)
def attention_backward(g, q, k, v, p):
    dp, _ = of_product(g, v, p)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return *of_scores(ds, q, k), p @ g


@mistake("column-sum", "softmax ran over the queries", "What sums to 1 in p: a row or a column?")
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-2, keepdims=True)) / q.shape[-1] ** 0.5, q, k), dv


@mistake("scale-d", "the scores were divided by d", "By what number were the scores divided: d, or its root?")
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    return *of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1], q, k), dv


@mistake(
    "full-transpose",
    "`.T` exchanges the last two axes",
    "Print `p.T.shape` for a p with a batch axis. Which axes did it exchange?",
)
def attention_backward(g, q, k, v, p):
    dp = g @ v.T
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, ds.T @ q, p.T @ g


@mistake(
    "scale-on-dq-only",
    "the scale is paid once, so it belongs to one of the two gradients",
    "A score is q·k over √d: from which of its two slopes has the root gone?",
)
def attention_backward(g, q, k, v, p):
    dp, dv = of_product(g, v, p)
    dq, dk = of_scores(p * (dp - (dp * p).sum(axis=-1, keepdims=True)), q, k)
    return dq / q.shape[-1] ** 0.5, dk, dv
