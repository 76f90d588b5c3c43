"""The state S_t is used twice: out_t reads it, and S_(t+1) continues it. Let R_t be the gradient of the loss with
respect to S_t along both paths. The output out_t = S_tᵀ q_t contributes q_t g_tᵀ, and S_(t+1) passes its own gradient
on unchanged. So R is a sum over the present and the future:

    R_T = q_T g_Tᵀ,    R_t = R_(t+1) + q_t g_tᵀ

The three inputs of step t enter at two places. q_t reads the state, and k_t v_tᵀ is added to the state:

    dq_t = S_t g_t,    dk_t = R_t v_t,    dv_t = R_tᵀ k_t

dq needs S, which runs forwards in time. dk and dv need R, which runs backwards. So two passes in opposite directions
are enough, and each pass holds one d x e matrix. S is computed again from k and v in the order of the forward, so no
state needs to be saved.

The same result follows from the T x T matrix A of all q_t · k_s with s <= t, because out = A v. In this form dv = Aᵀ g,
and the masked product g vᵀ gives dq and dk. This form takes O(T²) memory, which linear attention exists to avoid.

Cost: O(T·d·e) operations, like the forward. A step of the forward takes one outer product and one matrix-vector
product. Backward takes two outer products and three matrix-vector products. Besides the inputs and results, backward
holds two d x e matrices. Keeping every state would take T·d·e numbers, which is more than q, k and v together if d and
e exceed 3.

PyTorch: PyTorch has no linear attention. For the formula `tril(q @ k.mT) @ v`, autograd saves the T x T matrix. For a
`cumsum` over the outer products and an `einsum`, it saves the states of all steps. Katharopoulos et al. (2020) wrote
their own `autograd.Function` instead. Its backward, in C++ and CUDA, computes S and R anew. The Triton kernels
`fused_recurrent` of the library flash-linear-attention also make the two passes of this solution.

Asked next:

- Two passes of T tiny steps are slow on a GPU. How do chunks of length c help? → Within a chunk, out is the masked
  product of c x c scores with v, plus q times the state before the chunk. Between chunks only the state is passed on.
  This takes O(T·c·(d + e) + T·d·e) operations in matrix products, and only T/c steps are sequential. The backward
  splits in the same way.
- The output is divided by q_t · Σ_(s≤t) k_s. How much new code does backward need? → Only a little. Append a column of
  ones to v. The last column of the output is then the normaliser. Differentiate the quotient, and pass its two
  gradients to the same backward as one cotangent of e + 1 columns.
- The state decays: S_t = γ_t S_(t-1) + k_t v_tᵀ, with a number γ_t > 0. What are R and dγ? → R_t = γ_(t+1) R_(t+1) +
  q_t g_tᵀ, and dγ_t is the sum of all elements of R_t ∘ S_(t-1). R runs backwards in time and S runs forwards, so one
  pass cannot compute this sum without the states of all steps. But γ_t dγ_t is also the sum of q_s · dq_s - k_s · dk_s
  over all s ≥ t. This form needs no state.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Which outputs does key 5 reach, and which keys reach output 5? In which direction of time must backward sum "
        "for dk? In which direction must it sum for dq?"
    ),
    (
        "Run the forward's recurrence again and read dq_t from S_t. Then go backwards with R_t, which adds q_t g_tᵀ at "
        "each step. Read dk_t and dv_t from R_t."
    ),
    "Use two loops with one matrix each. In the second loop, dk_t is `R @ ...` and dv_t is `R.T @ ...`.",
)


def at_both_ends(rng, shape, sizes):
    values = rng.normal(size=shape)
    values[8:-4] = 0
    return values


CASES = [
    given("q[T,d] k[T,d] v[T,e]", large=False),
    given("q[12,d] k[12,d] v[12,e]", large=False, note="twelve steps"),
    given("q[23,d] k[23,d] v[23,e]", large=False, note="a prime number of steps"),
    # Chunks of any usual size part the first steps from the last ones.
    given(
        "q[132,1] k[132,1] v[132,2]",
        q=at_both_ends,
        k=at_both_ends,
        v=at_both_ends,
        large=False,
        note="late queries of early keys",
    ),
    given("q[1,d] k[1,d] v[1,e]", large=False, note="one step"),
    given("q[T,1] k[T,1] v[T,e]", large=False, note="a state of one row"),
    given(
        "q[T,d] k[T,d] v[T,e]",
        large={"T": 14_000, "d": 2, "e": 3},
        memory=5 << 20,
        because="the T x T matrix",
    ),
    given(
        "q[T,d] k[T,d] v[T,e]",
        large={"T": 300, "d": 240, "e": 260},
        memory=12 << 20,
        because="the states of all steps",
    ),
]
MISTAKES = [
    edit(
        "excludes-itself",
        "out_t reads the state before step t",
        "Does out_t contain v_t? Is S updated before or after q_t reads it?",
        "S += np.outer(k[t], v[t]) -> ",
        "dq[t] = S @ g[t] -> dq[t] = S @ g[t]; S += np.outer(k[t], v[t])",
    ),
    edit(
        "own-output-excluded",
        "k_t and v_t reach only later outputs",
        "Take T = 1. Is dv zero?",
        "R += np.outer(q[t], g[t]) -> ",
        "dv[t] = R.T @ k[t] -> dv[t] = R.T @ k[t]; R += np.outer(q[t], g[t])",
    ),
    edit(
        "forward-for-keys",
        "the sum for dk and dv collects the past, as S does",
        "Which outputs does k_t affect: earlier ones or later ones?",
        "reversed(range(len(q))) -> range(len(q))",
    ),
    edit(
        "backward-for-queries",
        "the state is summed from the last step to the first",
        "Which keys did q_t read: earlier ones or later ones?",
        "for t in range(len(q)): -> for t in range(len(q))[::-1]:",
    ),
    edit(
        "no-carry",
        "a key and its value matter only to the output of their own step",
        "S_t is part of S_(t+1). Does g_5 reach k_2 in your code?",
        "R += -> R =",
    ),
    edit(
        "own-key-only",
        "a query reads only the key and value of its own step",
        "Over which s does the sum in out_t run?",
        "S += -> S =",
    ),
]


# Chunks, because the matrix of 14,000 x 14,000 numbers would take more than a gigabyte.
def forward(q, k, v, chunk=100):
    outs, S = [], np.zeros((q.shape[1], v.shape[1]))
    for i in range(0, q.shape[0], chunk):
        now = slice(i, i + chunk)
        kT = engine.swapaxes(k[now], 0, 1)
        outs.append(engine.matmul(q[now], S) + engine.matmul(engine.tril(engine.matmul(q[now], kT)), v[now]))
        S = S + engine.matmul(kT, v[now])
    return engine.concatenate(outs, axis=0)


def linear_attention_backward(g, q, k, v):
    dq, dk, dv = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    S = np.zeros((q.shape[1], v.shape[1]), q.dtype)
    for t in range(len(q)):
        S += np.outer(k[t], v[t])
        dq[t] = S @ g[t]
    R = np.zeros_like(S)
    for t in reversed(range(len(q))):
        R += np.outer(q[t], g[t])
        dk[t] = R @ v[t]
        dv[t] = R.T @ k[t]
    return dq, dk, dv


@mistake(
    "materialised",
    "an array may have T·T or T·d·e elements",
    (
        "Which of your arrays is the largest? Can you use each part of this array as soon as you have computed it, and "
        "then drop this part?"
    ),
)
def linear_attention_backward(g, q, k, v):
    dA = np.tril(g @ v.T)
    return dA @ k, dA.T @ q, np.tril(q @ k.T).T @ g


@mistake(
    "not-causal",
    "every query reads every key",
    "Does key 5 reach output 3? Over which steps may the sum in S_3 run?",
)
def linear_attention_backward(g, q, k, v):
    S, R = k.T @ v, q.T @ g
    return g @ S.T, v @ R.T, k @ R


def in_chunks(g, q, k, v, states=True, gradients=True, rest=True, size=64):
    """The gradients by chunks. The options say what one chunk hands to another, and whether a last part counts."""
    T, size = len(q), min(size, len(q))
    T -= 0 if rest else T % size
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    S, R = np.zeros((2, q.shape[1], v.shape[1]), q.dtype)
    for start in range(0, T, size):
        now = slice(start, start + size)
        dq[now] = g[now] @ S.T + np.tril(g[now] @ v[now].T) @ k[now]
        S = S + k[now].T @ v[now] if states else S
    for start in reversed(range(0, T, size)):
        now = slice(start, start + size)
        dk[now] = v[now] @ R.T + np.tril(g[now] @ v[now].T).T @ q[now]
        dv[now] = k[now] @ R + np.tril(q[now] @ k[now].T).T @ g[now]
        R = R + q[now].T @ g[now] if gradients else R
    return dq, dk, dv


@mistake(
    "no-gradient-between-chunks",
    "k_t and v_t reach no output of a much later chunk",
    "The state carries k_5 into all later chunks. Through which matrix do their outputs send a gradient back to k_5?",
)
def linear_attention_backward(g, q, k, v):
    return in_chunks(g, q, k, v, gradients=False)


@mistake(
    "no-state-between-chunks",
    "a query reads no key of a much earlier chunk",
    "Over which s does the sum in out_t run? Does the sum stop at the start of a chunk?",
)
def linear_attention_backward(g, q, k, v):
    return in_chunks(g, q, k, v, states=False)


@mistake(
    "chunks-apart",
    "chunks far from each other do not affect each other",
    "Query 100 and key 5 are in two chunks of 64. Does out_100 depend on k_5?",
)
def linear_attention_backward(g, q, k, v):
    return in_chunks(g, q, k, v, states=False, gradients=False)


@mistake(
    "rest-of-chunks",
    "the number of chunks is T divided by the length of a chunk, rounded down",
    "Let T be 100 and a chunk 64 steps. Which chunk contains step 70?",
)
def linear_attention_backward(g, q, k, v):
    return in_chunks(g, q, k, v, rest=False)


@mistake(
    "rest-of-short-chunks",
    "the number of chunks is T divided by the length of a chunk, rounded down",
    "Let T be 20 and a chunk 16 steps. Which chunk contains step 18?",
)
def linear_attention_backward(g, q, k, v):
    return in_chunks(g, q, k, v, rest=False, size=16)
