"""FlashAttention's forward saved the log-sum-exp of each row, lse. So one exponential recovers the probabilities p of a
tile from its scores s: p = exp(s - lse). Then the VJPs of the two products and of softmax apply within the tile:

    dv += pᵀ g
    dp  = g vᵀ
    ds  = p * (dp - D) / √d
    dq += ds k
    dk += dsᵀ q

D holds one number for each row, the sum of dp * p over the *whole* row. No single tile contains a whole row, but the
sum can be rewritten:

    D_i = Σ_j dp_ij p_ij = Σ_j p_ij (g_i · v_j)
        = g_i · Σ_j p_ij v_j = g_i · out_i

So D is the row sum of g * out, which is known before the first tile. The forward saves `out` for this purpose.

Cost: five matrix products per tile, one of which recomputes the scores. The forward has two. Memory holds the inputs,
the results and a few tiles instead of the n x m matrix. At n = m = 32768 in float16 that matrix takes 2 GiB per head.
Under a causal mask, tiles above the diagonal are skipped. The skipped tiles are about half of all tiles if n = m and
the tiles are small compared with n. Dao et al. (2022) found the algorithm faster despite the extra product: on their
GPUs, moving the matrix to and from main memory took longer than the extra product.

PyTorch: The fused kernels of `torch.nn.functional.scaled_dot_product_attention` use this algorithm. The CPU kernel
saves q, k, v, out and lse; lse is float32 even if the inputs are float16 or bfloat16. The CPU kernel returns 0 for a
row without any allowed key. The backward of this kernel cannot be differentiated. For second derivatives, request the
composed path with `sdpa_kernel(SDPBackend.MATH)`. `is_causal=True` aligns the mask to the upper left corner, as in this
exercise. `causal_lower_right` aligns the mask to the lower right corner.

Asked next:

- On a GPU, which loop is distributed over thread blocks, and what do the blocks share? → The outer loop is distributed.
  If the outer loop runs over the keys, as in the worked solution, each block owns its part of dk and dv, but all blocks
  add to the same dq. FlashAttention-2 adds atomically in no fixed order, so the last bits of dq may differ from run to
  run. The deterministic variant of FlashAttention-2 is slower and takes more memory.
- The mask hides every key from a row. What breaks, and which lse would you save for this row? → The logarithm of an
  empty sum is -∞, and exp(-∞ + ∞) is NaN. Save +∞. Then every p of that row is exp(-∞ - ∞) = 0, and the row's gradients
  are 0.
- The inputs are float16. May lse be float16 too? → An error of ε in one lse multiplies the whole row of p by exp(-ε).
  Near 10, float16 numbers are 1/128 apart, so rounding alone changes p by up to 0.4%. Keep lse in float32, because it
  is only one number per row.
- The forward tracks a running maximum and a running sum. Why is one number per row enough for backward? → lse contains
  the maximum and the sum, because exp(s - max)/sum equals exp(s - (max + log sum)). Up to rounding, s ≤ lse, so the
  exponential cannot overflow.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Given one score and its row's log-sum-exp, what is the probability? So which matrix need not be saved?",
    (
        "Softmax's backward subtracts a row sum of dp * p. Write dp as a product with v and exchange the two sums. "
        "The result is a row sum of the product of g and a saved array."
    ),
    (
        "Nest two loops over slices. In each tile compute s, p, dp and ds, and add the tile's terms to slices of dq, "
        "dk and dv. Compute the row sums of g * out before the loops."
    ),
)
WRT = ("q", "k", "v")


# Every query is near (6, 6, 6). The keys differ across that direction too, so that no gradient cancels. Only the last
# query sees the last key. Its score is almost 100 above the others, and the exponential of that overflows in float32.
def last_one_apart(rng, shape, _):
    keys = rng.normal(0, 3, shape)
    along = rng.normal(-4.4, 0.1, shape[:1])
    along[-1:] *= -1.15
    return keys + (along - keys.mean(axis=1))[:, None]


CASES = [
    given("q[2,d] k[3,d] v[3,e]", bq=1, bk=2, causal=False, large=False),
    given("q[5,d] k[7,d] v[7,e]", bq=2, bk=3, causal=False, large={"d": 505, "e": 790}),
    given("q[6,d] k[6,d] v[6,e]", bq=4, bk=2, causal=True),
    given("q[n,d] k[n,d] v[n,e]", bq=8, bk=8, causal=True, large=False),
    given("q[3,d] k[5,d] v[5,e]", bq=1, bk=1, causal=False, note="tiles of one"),
    given("q[3,d] k[6,d] v[6,e]", bq=2, bk=3, causal=True, large=False, note="more keys than queries"),
    given("q[7,d] k[4,d] v[4,e]", bq=3, bk=4, causal=True, note="more queries than keys"),
    given("q[5,d] k[5,d] v[5,e]", bq=2, bk=3, causal=True, large=False, note="a corner on the diagonal"),
    given(
        "q[5,3] k[5,3] v[5,e]",
        q=normal(0.1, 6),
        k=last_one_apart,
        bq=2,
        bk=2,
        causal=True,
        large=False,
        note="scores of ±50",
    ),
    given(
        "q[2,1] k[3,1] v[3,2]",
        q=[[30.0], [29.5]],
        k=[[-30.0], [-29.98], [-30.03]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5]],
        bq=1,
        bk=2,
        causal=False,
        note="scores of -900",
    ),
    given(
        "q[2,1] k[2,1] v[2,2]",
        q=[[30.0], [29.5]],
        k=[[-10.0], [-9.98]],
        v=[[1.0, 2.0], [3.0, -1.0]],
        bq=1,
        bk=1,
        causal=True,
        note="scores of -300",
    ),
    given(
        "q[n,d] k[n,d] v[n,d]",
        bq=64,
        bk=64,
        causal=True,
        large={"n": 3000, "d": 1},
        memory=1 << 20,
        because="even an n x m matrix of booleans is too large",
    ),
]
EQUIVALENT = {
    "off by one: len(k) -> len(k) + 1": "it adds at most an empty tile",
    "off by one: len(q) -> len(q) + 1": "it adds at most an empty tile",
    "statement: if causal and j >= i + bq: -> pass": "a tile that is no longer skipped is fully masked",
    "condition: if causal and j >= i + bq: -> if False:": "a tile that is no longer skipped is fully masked",
    "comparison: j >= i + bq -> ...": "a tile that is no longer skipped is fully masked",
    "statement: continue -> pass": "a tile that is no longer skipped is fully masked",
}


def masked(s, causal, i=0, j=0):
    if not causal:
        return s
    n, m = s.shape
    allowed = np.arange(i, i + n)[:, None] >= np.arange(j, j + m)
    return np.where(allowed, s, -np.inf)


MISTAKES = [
    edit(
        "skips-crossed-tiles",
        "a tile whose first key comes after its first query is masked as a whole",
        "Take the tile of queries 0 to 3 and keys 2 and 3. Which keys of this tile does query 3 see?",
        "j >= i + bq -> j > i",
    ),
    edit(
        "skips-by-tile-number",
        "a tile of keys with a larger number than the tile of queries is in the future",
        "Take bq = 4 and bk = 2. Which queries are in tile 0, and which keys are in tile 1?",
        "j >= i + bq -> j // bk > i // bq",
    ),
    edit(
        "skips-last-visible",
        "a tile whose first key is the tile's last query is in the future",
        "Take the tile of queries 0 to 3 and keys 3 and 4. Does query 3 see a key of this tile?",
        "j >= i + bq -> j >= min(i + bq, len(q)) - 1",
    ),
    edit(
        "skips-last-key-ahead",
        "a tile whose last key comes after its last query is masked as a whole",
        "Take the tile of queries 0 and 1 and keys 0 to 2. Which keys of this tile does query 1 see?",
        "j >= i + bq -> j + bk > i + bq",
    ),
    edit(
        "skips-diagonal-tile",
        "a tile whose first key is the tile's first query is in the future",
        "Take the tile of queries 2 and 3 and keys 2 and 3. Which keys of this tile does query 3 see?",
        "j >= i + bq -> j >= i",
    ),
]


def forward(q, k, v, bq, bk, causal):
    s = engine.matmul(q, engine.swapaxes(k, 0, 1)) / q.shape[1] ** 0.5
    if causal:
        s = engine.where(np.tri(*s.shape, dtype=bool), s, -np.inf)
    return engine.matmul(engine.softmax(s, axis=1), v)


def saved(q, k, v, bq, bk, causal):
    s = masked((q.astype(float) @ k.astype(float).T) / q.shape[1] ** 0.5, causal)
    top = s.max(axis=1)
    return {"lse": (top + np.log(np.exp(s - top[:, None]).sum(axis=1))).astype(q.dtype)}


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            s = masked(q[rows] @ k[keys].T * scale, causal, i, j)
            p = np.exp(s - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "materialised",
    "holding the whole n x m matrix for a moment is allowed",
    "How many bytes does the n x m matrix take? Which part of this matrix do you need at any one time?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    p = np.exp(masked(q @ k.T * scale, causal) - lse[:, None])
    ds = p * (g @ v.T - (g * out).sum(axis=1, keepdims=True)) * scale
    return ds @ k, ds.T @ q, p.T @ g


@mistake(
    "softmax-per-tile",
    "a tile can be normalised on its own",
    "A tile holds only a part of each row. Which saved value gives the sum over the whole row?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j))
            p /= np.maximum(p.sum(axis=1, keepdims=True), 1e-30)
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "row-dot-per-tile",
    "the row sum of dp * p can be taken within a tile",
    "The sum of dp * p runs over the whole row. Which identity gives this sum from g and out?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            dp = g[rows] @ v[keys].T
            ds = p * (dp - (dp * p).sum(axis=1, keepdims=True)) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "no-scale",
    "the scale belongs only to the forward",
    "s is q·k over √d. What is the derivative of s with respect to q, and with respect to k?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows])
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "dq-assigned", "one tile of keys completes a tile of dq", "How many tiles of keys contribute to one row of dq?"
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] = ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "whole-tiles-only",
    "n and m are multiples of the tile sizes",
    "Take five queries in tiles of two: in which tile is the fifth query?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k) // bk * bk, bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q) // bq * bq, bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "mask-within-tile",
    "every tile is masked like the first tile",
    "Take the tile of queries 4 to 7 and keys 0 to 3: which of its scores are in the future?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "never-masked",
    "the saved log-sum-exp already masks the scores",
    "lse is one number per row. What is exp(s - lse) for a key in the future?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(q[rows] @ k[keys].T * scale - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "diagonal-unmasked",
    "a tile is either visible or masked as a whole",
    "Take a tile that the diagonal crosses. Which keys of this tile does its first query see?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= min(i + bq, len(q)):
                continue
            rows = slice(i, i + bq)
            p = np.exp(q[rows] @ k[keys].T * scale - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake("no-row-dot", "the slope of softmax is p", "The rows of ds must sum to 0. Do the rows of your ds sum to 0?")
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "bottom-right",
    "the mask is aligned to the last query and the last key, as in FlashAttention since 2.1",
    "Take two queries and three keys: which keys does query 0 see by the task's rule?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i + len(k) - len(q), j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "mask-after-exp",
    "the probability of a future key can be set to 0 after the exponential",
    "The score of a future key is 97 above its row's lse. What is p there in float32, and what is 0 times that p?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(q[rows] @ k[keys].T * scale - lse[rows, None])
            p *= masked(np.ones_like(p), causal, i, j) > 0
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "exp-ratio",
    "exp(s - lse) can be computed as exp(s) / exp(lse)",
    "Let s and lse be 200. In float32, what are the two exponentials, and what is the exponential of the difference?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j)) / np.exp(lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "dk-assigned",
    "only one tile of queries reads each key",
    "Several tiles of queries read the same keys. What does your code do with the terms of the earlier tiles?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            s = masked(q[rows] @ k[keys].T * scale, causal, i, j)
            p = np.exp(s - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] = p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] = ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "lse-forgotten",
    "the exponentials of the scores are the probabilities",
    "What must each row of p sum to? Which saved array normalises the rows?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            s = masked(q[rows] @ k[keys].T * scale, causal, i, j)
            p = np.exp(s)
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "diagonal-masked",
    "a query does not see its own key",
    "Query i sees the keys j <= i. Does your mask keep j = i?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j >= i + bq:
                continue
            rows = slice(i, i + bq)
            s = masked(q[rows] @ k[keys].T * scale, causal, i, j + 1)
            p = np.exp(s - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "mask-by-tile-number",
    "tile t of the queries holds the same positions as tile t of the keys",
    "Take bq = 4 and bk = 2. Which positions does tile 1 of the queries hold, and which does tile 1 of the keys hold?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    row_dot = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            if causal and j // bk > i // bq:
                continue
            rows = slice(i, i + bq)
            s = masked(q[rows] @ k[keys].T * scale, causal and j // bk == i // bq)
            p = np.exp(s - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv
