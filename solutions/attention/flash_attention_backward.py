"""Within a tile, the probabilities come back from the scores by one exponential, because the row's normaliser was kept:
p = exp(s - lse). Then the rules of the two products and of softmax between them:

    dv += pᵀ g        dp = g vᵀ        ds = p * (dp - D) / √d        dq += ds k        dk += dsᵀ q

Softmax's backward needs, for each row, the sum of dp * p over the *whole* row, which no tile has. But

    D_i = Σ_j dp_ij p_ij = Σ_j p_ij (g_i · v_j) = g_i · Σ_j p_ij v_j = g_i · out_i

so it is a row sum of g * out, there before the first tile. That is why `out` is kept.

Cost: five products a tile where the forward has two, one of them the scores computed anew. Memory is that of inputs and
results and a few tiles instead of O(n m); at n = m = 32768 in float16 the matrix alone takes 2 GiB a head. Causal tiles
above the diagonal are skipped: about half of them when n = m and tiles are small beside n. Dao et al. (2022) found it
faster all the same: on their GPUs moving the matrix to and from main memory cost more than multiplying.

PyTorch: the fused kernels of `torch.nn.functional.scaled_dot_product_attention` do this; the CPU one keeps q, k, v, out
and lse, the last in float32 where the inputs are float16 or bfloat16. It gives a row without any allowed key the output
0. Its backward has no derivative: for second order ask for the composed path, by `sdpa_kernel(SDPBackend.MATH)`.
`is_causal=True` aligns the mask to the upper left corner, as here, and `causal_lower_right` to the other.

Asked next:

- On a GPU, which loop goes to different blocks, and what do they share? → With the keys outside, as here, a block owns
  its dk and dv, but every key tile adds to the same dq. FlashAttention-2 adds atomically, in no fixed order, so dq may
  differ in its last bits from run to run; its deterministic variant is slower and takes more memory.
- A row may see no key at all: what breaks, and what would you keep as its lse? → The logarithm of an empty sum is -∞,
  and exp(-∞ + ∞) is NaN. Keep +∞: then every p of that row is exp(-∞ - ∞) = 0, and so are its gradients.
- The inputs are float16: may lse be float16 too? → An error of ε in lse multiplies its whole row of p by exp(-ε). Near
  10 float16 numbers are 1/128 apart, so rounding alone costs up to 0.4%. Keep it in float32; it is one number a row.
- The forward tracks a running maximum and a running sum: why is one number a row enough here? → Because exp(s -
  max)/sum = exp(s - (max + log sum)), so lse holds both. Up to rounding s ≤ lse, so nothing overflows.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Given one score and its row's log-sum-exp, what is the probability? So what need not be kept?",
    (
        "Softmax's backward subtracts a row sum of dp * p. Write dp as a product with v and swap the sums: it becomes "
        "a row sum of g times something that was kept."
    ),
    (
        "Two loops over slices; in a tile compute s, p, dp and ds, and add to slices of dq, dk and dv. The row sums of "
        "g * out come before the loops."
    ),
)
WRT = ("q", "k", "v")


def last_one_apart(rng, shape, _):
    keys = rng.normal(-12, 0.1, shape)
    keys[-1:] *= -1
    return keys


CASES = [
    given("q[5,d] k[7,d] v[7,e]", bq=2, bk=3, causal=False, empty=False),
    given("q[6,d] k[6,d] v[6,e]", bq=4, bk=2, causal=True, empty=False),
    given("q[n,d] k[n,d] v[n,e]", bq=8, bk=8, causal=True, empty=False, large=False),
    given("q[3,d] k[5,d] v[5,e]", bq=1, bk=1, causal=False, empty=False, note="tiles of one"),
    given("q[3,d] k[6,d] v[6,e]", bq=2, bk=3, causal=True, empty=False, large=False, note="more keys than queries"),
    given("q[7,d] k[4,d] v[4,e]", bq=3, bk=4, causal=True, empty=False, note="more queries than keys"),
    given(
        "q[5,d] k[5,d] v[5,e]",
        q=normal(0.1, 12),
        k=last_one_apart,
        bq=2,
        bk=2,
        causal=True,
        empty=False,
        large=False,
        note="scores of ±200",
    ),
    given(
        "q[n,d] k[n,d] v[n,d]",
        bq=64,
        bk=64,
        causal=True,
        large={"n": 1900, "d": 1},
        memory=1 << 18,
        because="the n x m matrix, even of booleans",
    ),
]
EQUIVALENT = {
    "operand: q.shape[1] -> k.shape[1]": "queries and keys are of one width",
    "constant: q.shape[1] -> q.shape[-1]": "of two axes 1 is the last",
    "constant: (g * out).sum(axis=1, keepdims=True) -> ...": "of two axes 1 is the last",
    "operand: len(k) -> len(v)": "there are as many keys as values",
    "operand: len(q) -> ...": "g, out and lse have a row a query",
    "off by one: len(k) -> len(k) + 1": "it adds an empty tile at most",
    "off by one: len(q) -> len(q) + 1": "it adds an empty tile at most",
    "statement: if causal and j >= i + bq: -> pass": "a tile that is not skipped is masked",
    "condition: if causal and j >= i + bq: -> if False:": "a tile that is not skipped is masked",
    "comparison: j >= i + bq -> ...": "a tile that is not skipped is masked",
    "statement: continue -> pass": "a tile that is not skipped is masked",
}


def masked(s, causal, i=0, j=0):
    if not causal:
        return s
    rows, columns = s.shape
    return np.where(np.arange(i, i + rows)[:, None] >= np.arange(j, j + columns), s, -np.inf)


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
            p = np.exp(masked(q[rows] @ k[keys].T * scale, causal, i, j) - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - row_dot[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv


@mistake(
    "materialised",
    "the whole matrix may be held for a moment",
    "How many bytes is n x m? Which piece of it do you need at any one time?",
)
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    p = np.exp(masked(q @ k.T * scale, causal) - lse[:, None])
    ds = p * (g @ v.T - (g * out).sum(axis=1, keepdims=True)) * scale
    return ds @ k, ds.T @ q, p.T @ g


@mistake(
    "softmax-per-tile",
    "a tile can be normalised by itself",
    "The tile does not know the sum of its row. Which saved value does?",
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
    "It runs over the whole row. Which identity gives it from g and out?",
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


@mistake("no-scale", "√d concerns the forward only", "s is q·k over √d. What is the slope of s in q?")
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


@mistake("dq-assigned", "a tile of dq is complete after one tile of keys", "How many tiles of keys does a query meet?")
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
    "the sizes are multiples of the tiles",
    "Five queries in tiles of two: in which tile is the fifth?",
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
    "every tile is masked like the first",
    "The tile of queries 4 to 7 and keys 0 to 3: which of its scores lie in the future?",
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
    "the log-sum-exp that was saved has seen to the mask",
    "lse is one number a row. What is exp(s - lse) for a key in the future?",
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


@mistake("no-row-dot", "p is the slope of softmax", "The rows of ds must sum to 0. Do yours?")
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
    "Two queries, three keys: which of them does query 0 see, by the rule in the task?",
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
    "a probability in the future may be cleared once it is there",
    "A key in the future scores 400 above its row's lse. What is p there in float32, and what is 0 times that?",
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
    "exp(s - lse) may be had as exp(s) / exp(lse)",
    "Let s and lse be 200: what are the two exponentials in float32, and what is the one of their difference?",
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
