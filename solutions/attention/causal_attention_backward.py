"""A mask adds no new formula. It only changes p: a masked key has p_ij = exp(-∞) = 0 exactly.

The backward of attention is dv = pᵀ g, dp = g vᵀ and ds = p ∘ (dp - δ), with δ_i = Σ_j dp_ij p_ij. dv, δ and ds contain
p as a factor, so a masked pair adds nothing to them. dp contains no p, but backward uses dp only in products with p. So
it is enough to build the right p:

1. Set the masked scores to -∞ before the softmax, so that each row of p sums to 1 over the keys that its query sees.
2. Subtract the largest score of the row *after* masking. A masked score may be far above the visible ones. If this
   masked score were the maximum, all visible exponentials could underflow to 0, and the row would be 0/0.

The largest score of a row is finite, because query i always sees key i. So no row computes -∞ - (-∞).

Three checks follow. Query 0 sees one key, so p is 1 and row 0 of dq is 0. The last key is seen only by the last query,
so the last row of dv is p_(n-1,n-1) times the last row of g. If g is 0 outside row i, then dk and dv are 0 below row i.

Cost: as written, five matrix products, one of which recomputes the scores, and n² numbers per head. Nearly half of the
scores are masked. A kernel that skips the tiles above the diagonal saves nearly half of the work.

PyTorch: With `is_causal=True` the fused CPU kernel of `scaled_dot_product_attention` saves no mask. It saves the flag,
q, k, v, out and one log-sum-exp per row. Code with `masked_fill` saves the boolean mask, and `MaskedFillBackward0` sets
the gradient of the masked scores to 0. The flag aligns the mask to the upper left corner. In decoding, a single query
reads m keys from the cache. `is_causal=True` therefore shows this query only key 0, whereas `causal_lower_right(1, m)`
shows it all m keys.

Asked next:

- A padding mask hides every key from a row. What do `masked_fill` and softmax give for this row, and what does
  `scaled_dot_product_attention` give? → The softmax of a row of -∞ is NaN. This NaN reaches dv even if the loss does
  not read the row, because dv contains p times g, and NaN times 0 is NaN. `scaled_dot_product_attention` returns 0 for
  such a row, with finite gradients.
- Is -1e9 as good as -∞ for the masked scores? → In float32, -1e9 is as good as -∞ if each row sees a key and the scores
  are far smaller than 1e9. Then exp(-1e9 - max) is 0. float16 cannot represent -1e9, because its largest finite number
  is 65504.
- How does the work split over four devices, each with a quarter of the sequence? → The work is unequal, because the
  last quarter of the queries sees all keys, and the first quarter sees only its own keys. Instead, cut the sequence
  into eight pieces, numbered from 0, and give device i the pieces i and 7 - i. All devices then have equal work.
- Can a later value still spoil the row of an earlier query? → Yes, but only if this value is not finite. If v holds a
  NaN at a later position, then 0 · NaN is NaN in p @ v and in δ. A mask on the scores does not remove this NaN.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Which array of attention's backward does the mask change? What is its value at a masked pair?",
    (
        "Mask the scores with -∞, and then take the softmax. The rest is the backward of attention, because p is a "
        "factor of each gradient."
    ),
    "Write `s = np.where(np.tri(n, dtype=bool), ..., -np.inf)`, and subtract the maximum of this masked array.",
)
CASES = [
    given("q[n,d] k[n,d] v[n,e]", large={"n": 30, "d": 700, "e": 600}),
    given("q[b,n,d] k[b,n,d] v[b,n,e]", large=False),
    given("q[b,h,n,2] k[b,h,n,2] v[b,h,n,3]", large=False),
    given(
        "q[4,1] k[4,1] v[4,2]",
        q=[[30.0], [29.5], [-30.0], [0.1]],
        k=[[-33.0], [-33.02], [-32.97], [33.0]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5], [2.0, 1.0]],
        note="scores of ±1000",
    ),
]


def forward(q, k, v):
    return engine.scaled_dot_product_attention(q, k, v, is_causal=True)


def causal_attention_backward(g, q, k, v):
    n, d = q.shape[-2:]
    seen = np.tri(n, dtype=bool)
    s = np.where(seen, q @ k.mT / d**0.5, -np.inf)
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / d**0.5
    return ds @ k, ds.mT @ q, p.mT @ g


MISTAKES = [
    edit(
        "unmasked-backward",
        "backward needs no mask",
        "Which keys did query 0 see in the forward? Which keys does it see in your code?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> q @ k.mT / d**0.5",
    ),
    edit(
        "mask-only-p",
        "a masked key still counts in the normalisation",
        "Set n = 2. What is p_00 if query 0 sees only key 0?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> q @ k.mT / d**0.5",
        "p /= ... -> p = np.where(seen, p / p.sum(axis=-1, keepdims=True), 0)",
    ),
    edit(
        "future-leak-dv",
        "dv uses the probabilities before the mask",
        "Which queries read value j? Which rows of g may therefore reach row j of dv?",
        "return ... -> u = q @ k.mT / d**0.5; e = np.exp(u - u.max(axis=-1, keepdims=True)); "
        "return ds @ k, ds.mT @ q, (e / e.sum(axis=-1, keepdims=True)).mT @ g",
    ),
    edit(
        "strictly-causal",
        "a query does not see the key at its own position",
        "Which keys does query 0 see in your code, and what is the softmax over them?",
        "np.tri(n, dtype=bool) -> np.tri(n, k=-1, dtype=bool)",
    ),
    edit(
        "future-only",
        "query i sees the keys j >= i",
        "In row i of the scores, are the keys of the past to the left or to the right of the diagonal?",
        "seen = ... -> seen = np.tri(n, dtype=bool).T",
    ),
    edit(
        "zero-for-masked",
        "a score of 0 hides a key",
        "What is exp(0)? Which score gives a weight of 0?",
        "-np.inf -> 0",
    ),
    edit(
        "finite-mask",
        "a score of -100 hides every key",
        "The visible scores of a row are near -990. Which key then gets the largest weight?",
        "-np.inf -> -100",
    ),
    edit(
        "shift-before-mask",
        "the score that is subtracted before the exponential may be a masked score",
        (
            "A masked score is 1000 above the visible ones. After your shift, what are the exponentials of the "
            "visible scores?"
        ),
        "s.max(axis=-1, keepdims=True) -> (q @ k.mT / d**0.5).max(axis=-1, keepdims=True)",
    ),
    edit(
        "mask-only-ds",
        "only the gradient of the scores must be masked",
        "Over which keys does each row of your p sum to 1?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> q @ k.mT / d**0.5",
        "ds = p -> ds = seen * p",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        "ds = ... -> ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))",
    ),
    edit(
        "no-row-sum",
        "the slope of softmax is p",
        "The rows of ds must sum to 0. Do the rows of your ds sum to 0?",
        "ds = ... -> ds = p * dp / d**0.5",
    ),
    edit(
        "zero-through-both-passes",
        "a score multiplied by 0 hides its key",
        "Your code multiplies a hidden score by 0. What is exp(0)? Which score gives a weight of 0?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> seen * (q @ k.mT / d**0.5)",
        "ds = p -> ds = seen * p",
    ),
    edit(
        "masked-after-softmax",
        "the mask belongs after the softmax, because it removes weights",
        "Set n = 2. What is p_00 if query 0 sees only key 0? What is p_00 in your code?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> q @ k.mT / d**0.5",
        "dp = g @ v.mT -> dp = seen * (g @ v.mT)",
        "p.mT @ g -> (seen * p).mT @ g",
    ),
    edit(
        "one-key-too-many",
        "query i sees the key i + 1 too",
        "Which keys does query 0 see in your code, and which should it see?",
        "np.tri(n, dtype=bool) -> np.tri(n, k=1, dtype=bool)",
    ),
    edit(
        "dk-not-transposed",
        "dk uses ds without a transpose, as dq does",
        "Which queries read key j? Is dk a sum over the queries or over the keys?",
        "ds.mT @ q -> ds @ q",
    ),
    edit(
        "dv-not-transposed",
        "dv is p g, without a transpose",
        "Which values did query i read? Which queries therefore contribute to the gradient of value j?",
        "p.mT @ g -> p @ g",
    ),
    edit(
        "column-sum",
        "the row sum in the backward of softmax runs over the queries",
        "What sums to 1 in p: a row or a column?",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=-2",
    ),
    edit(
        "softmax-over-queries",
        "softmax normalises over the queries",
        "Over which index must the weights of one query sum to 1?",
        "np.exp(s - s.max(axis=-1, keepdims=True)) -> np.exp(s - s.max(axis=-2, keepdims=True))",
        "p.sum(axis=-1, keepdims=True) -> p.sum(axis=-2, keepdims=True)",
        "(dp * p).sum(axis=-1 -> (dp * p).sum(axis=-2",
    ),
    edit(
        "columns-normalised-in-forward",
        "each column of p sums to 1",
        "Over which index must the weights of one query sum to 1?",
        "np.exp(s - s.max(axis=-1, keepdims=True)) -> np.exp(s - s.max(axis=-2, keepdims=True))",
        "p.sum(axis=-1, keepdims=True) -> p.sum(axis=-2, keepdims=True)",
    ),
    edit(
        "sigmoid-like-softmax",
        "each probability depends only on its own score",
        "Raise one score of a row: what happens to the other probabilities of the row?",
        "(dp - (dp * p).sum(axis=-1, keepdims=True)) -> dp * (1 - p)",
    ),
    edit(
        "softmax-skipped",
        "the gradient of the probabilities is also the gradient of the scores",
        "The forward took three steps. Which step does your backward skip?",
        "ds = ... -> ds = np.where(seen, dp, 0) / d**0.5",
    ),
    edit(
        "scale-d",
        "the scores were divided by d",
        "Were the scores divided by d or by its square root? How many times does your dq contain 1/√d?",
        "keepdims=True)) / d**0.5 -> keepdims=True)) / d",
    ),
    edit(
        "no-scale-in-forward",
        "the softmax acts on q kᵀ itself",
        "By which number are the products q·k divided before the softmax?",
        "np.where(seen, q @ k.mT / d**0.5, -np.inf) -> np.where(seen, q @ k.mT, -np.inf)",
    ),
    edit(
        "weights-outside",
        "the factor p multiplies only dp, not the row sum",
        "The rows of ds must sum to 0. Do the rows of your ds sum to 0?",
        "ds = ... -> ds = np.where(seen, p * dp - (dp * p).sum(axis=-1, keepdims=True), 0) / d**0.5",
    ),
    edit(
        "mean-of-row",
        "the backward of softmax subtracts the mean of dp * p over the keys",
        "The subtracted number is an average of dp. Which weights does this average need?",
        "(dp * p).sum( -> (dp * p).mean(",
    ),
    edit(
        "no-shift",
        "exp of every visible score is finite",
        "What is exp(1000) in floating point? What may you subtract from the scores of a row?",
        "np.exp(s - s.max(axis=-1, keepdims=True)) -> np.exp(s)",
    ),
    edit(
        "mask-of-1000",
        "a score of -1000 hides every key",
        "The visible scores of a row are near -990. Which weight does a hidden key get?",
        "-np.inf -> -1000",
    ),
]
