"""With the scale r = 1/√d, one head of attention has the backward

    p_ij  = exp(r q_i·k_j - lse_i)
    dv_j  = Σ_i p_ij g_i
    ds_ij = p_ij (g_i·v_j - D_i)
    dk_j  = r Σ_i ds_ij q_i

D_i is the row sum Σ_j p_ij (g_i·v_j), which the backward of softmax needs. This sum equals g_i·out_i, so it is known
before any p_ij is recomputed. lse_i normalises p_ij without the rest of the row. So each p_ij can be recomputed by
itself, and no n x m matrix is needed.

dk_j and dv_j are sums over the queries, so each block owns one key. Only this block writes the rows dk_j and dv_j, so
no atomic is needed. The threads of the block share the queries. Each thread computes one p and one ds at a time, from
two dot products, and adds multiples of g_i and q_i to its own two rows of d numbers in shared memory.

After a barrier, the threads divide the columns instead of the queries: thread t adds the 8 parts of the columns t, t +
8 and so on. A thread without a query has parts of 0. It must store these zeros, because shared memory is not
initialised.

Cost: each pair of a query and a key takes 4·d multiply-adds. In total this is 8·n·m·d operations, and the forward takes
4·n·m·d. This kernel reads all of q and g once per key. FlashAttention's own kernel takes a tile of, say, 128 keys per
block, reads each tile of queries once per block, and multiplies tiles on tensor cores. Besides the inputs and the
results, lse and D take n floats each.

PyTorch: `F.scaled_dot_product_attention` with the flash backend saves q, k, v, out and lse. Its backward first runs a
kernel for D, then a kernel whose blocks own tiles of keys. Each block computes dk and dv of its tile, and also a
contribution to dq. Several blocks contribute to one dq_i, so these contributions are added atomically, in float32.
Therefore dq can differ in the last bits from run to run, whereas dk and dv do not.

Asked next:

- Why is dq not computed here? → dq_i = r Σ_j ds_ij k_j is a sum over the keys, so each block has only one term of it.
  Either the blocks add their terms atomically, or the blocks of a second kernel own queries and recompute every p.
- What does a causal mask change? → Key j receives nothing from the queries before it, so the loop begins at i = j.
  Blocks of late keys have less work.
- Four query heads share a key head. What changes? → dk_j and dv_j are sums over the four heads as well. Let the block
  loop over the heads too, or store four parts and add them.
- Why save lse and not the row's maximum and sum? → p = exp(s - lse) needs one number per row and one subtraction. The
  logarithm also keeps the number in range: the sum of exponentials itself may overflow.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "dk[j] is a sum over queries. Which two saved numbers per query make it unnecessary to store a row of p?",
    (
        "For each query, recompute p from lse, then ds = p·(g·v - D). Collect multiples of g and of q in rows of "
        "shared memory that belong to the thread."
    ),
    (
        "Fill your two rows with zeros first. Put a barrier after the loop over queries. Then each thread adds the 8 "
        "parts of every 8th column."
    ),
)
WRT = ("k", "v")
CASES = [
    given("q[n,5] k[m,5] v[m,5]", large={"n": 101, "m": 23}),
    given("q[n,3] k[m,3] v[m,3]", q=normal(3.0), large=False, note="large scores"),
    given("q[11,19] k[3,19] v[3,19]", large=False, note="more columns than threads"),
]


def forward(q, k, v):
    return engine.softmax(q @ k.T / np.sqrt(q.shape[1]), axis=1) @ v


def saved(q, k, v, g):
    s = np.asarray(q, np.float64) @ k.T / np.sqrt(q.shape[1])
    most = s.max(axis=1, keepdims=True)
    e = np.exp(s - most)
    lse = (most + np.log(e.sum(axis=1, keepdims=True)))[:, 0]
    out = np.exp(s - lse[:, None]) @ v
    (n, d), m = q.shape, len(k)
    return {"lse": lse, "D": (g * out).sum(axis=1), "n": n, "m": m, "d": d}


def launch(m, d):
    return m, 8, 2 * 8 * d * 4


def cuda_flash_attention_backward_dkdv():
    return r"""
__global__ void fa_dkdv(const float* q, const float* k, const float* v,
                        const float* g, const float* lse, const float* D,
                        float* dk, float* dv, int n, int m, int d) {
    extern __shared__ float parts[];
    int t = threadIdx.x, j = blockIdx.x * d;
    float *pk = parts + t * d, *pv = parts + (8 + t) * d, r = rsqrtf(d);
    for (int c = 0; c < d; ++c) pk[c] = pv[c] = 0.0f;
    for (int i = t; i < n; i += 8) {
        float qk = 0.0f, gv = 0.0f;
        for (int c = 0; c < d; ++c) {
            qk += q[i * d + c] * k[j + c];
            gv += g[i * d + c] * v[j + c];
        }
        float p = expf(r * qk - lse[i]), ds = p * (gv - D[i]);
        for (int c = 0; c < d; ++c) {
            pk[c] += r * ds * q[i * d + c];
            pv[c] += p * g[i * d + c];
        }
    }
    __syncthreads();
    for (int c = t; c < d; c += 8) {
        float sk = 0.0f, sv = 0.0f;
        for (int u = 0; u < 8; ++u) {
            sk += parts[u * d + c];
            sv += parts[(8 + u) * d + c];
        }
        dk[j + c] = sk;
        dv[j + c] = sv;
    }
}
"""


MISTAKES = [
    edit(
        "no-D",
        "the Jacobian of softmax is diagonal",
        "If one score of a query rises, do the query's other probabilities change? Which term of ds accounts for this?",
        "p * (gv - D[i]) -> p * gv",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "s is the dot product divided by √d. What is the derivative of s with respect to k?",
        "pk[c] += r * ds -> pk[c] += ds",
    ),
    edit(
        "no-barrier",
        "all parts are complete when the first thread adds them",
        "Which threads wrote the parts that a thread adds? What makes this thread wait for the others?",
        "    }\n    __syncthreads();\n -> }\n",
    ),
    edit(
        "lse-missing",
        "exp of the score is the probability",
        "Do the exponentials of a row of scores sum to 1? What does lse hold?",
        "expf(r * qk - lse[i]) -> expf(r * qk)",
    ),
    edit(
        "scores-not-scaled",
        "the scores are plain dot products",
        "lse was computed from the scaled scores. Which scores does your exponential see?",
        "expf(r * qk - lse[i]) -> expf(qk - lse[i])",
    ),
    edit(
        "parts-not-zeroed",
        "shared memory begins at 0",
        "What does shared memory hold before the first write?",
        "for (int c = 0; c < d; ++c) pk[c] = pv[c] = 0.0f; ->",
    ),
    edit(
        "8-queries",
        "there are at most as many queries as threads",
        "n is 41 and the block has 8 threads. Which thread takes query 8?",
        "i < n; i += 8 -> i < n; i += n",
    ),
    edit(
        "no-bounds-check",
        "n is a multiple of 8",
        "n is 41. Which query does the last thread take in the last round?",
        "i < n; i += 8 -> i < (n + 7) / 8 * 8; i += 8",
    ),
    edit(
        "8-columns",
        "a key has at most as many columns as the block has threads",
        "d is 19 and the block has 8 threads. Which thread stores column 8?",
        "c < d; c += 8 -> c < d; c += d",
    ),
    edit(
        "own-part-only",
        "a thread's part is the whole sum",
        "Which queries do the other 7 threads take?",
        "sk += parts[u * d + c]; -> sk = parts[t * d + c];",
        "sv += parts[(8 + u) * d + c]; -> sv = parts[(8 + t) * d + c];",
    ),
    edit(
        "ds-for-dv",
        "dv is weighted by the gradient of the scores",
        "out is p times v. What multiplies g in dv?",
        "pv[c] += p * g -> pv[c] += ds * g",
    ),
    edit(
        "full-rounds-only",
        "n is a multiple of 8, and every round is full",
        "n is 41. Which thread takes query 40, and in which round?",
        "i < n; i += 8 -> i < n / 8 * 8; i += 8",
    ),
    edit(
        "p-for-dk",
        "dk is weighted by the probabilities",
        "In dk, the gradient of the scores multiplies q. Where does your factor of q use g?",
        "ds = p * (gv - D[i]) -> ds = p",
    ),
    edit(
        "scale-twice",
        "the scale enters dk twice",
        "s is q·k/√d. How many times does its derivative with respect to k contain 1/√d?",
        "pk[c] += r * ds -> pk[c] += r * r * ds",
    ),
    edit(
        "scale-of-d",
        "scores are divided by d",
        "By which number does the forward divide the dot products: d or √d?",
        "r = rsqrtf(d) -> r = 1.0f / d",
    ),
    edit(
        "k-for-q",
        "dk is a sum of multiples of k",
        "s[i][j] is q[i]·k[j]/√d. Which of the two vectors is in its derivative with respect to k[j]?",
        "r * ds * q[i * d + c] -> r * ds * k[j + c]",
    ),
    edit(
        "no-p",
        "the gradient of a score is gv - D",
        "Which factor does the Jacobian of softmax have in each of its terms?",
        "ds = p * (gv - D[i]) -> ds = gv - D[i]",
    ),
    edit(
        "scale-without-D",
        "the scale belongs to g·v, but not to D",
        "s is q·k/√d. Does the factor 1/√d multiply the whole of dL/ds, or only one of its terms?",
        "p * (gv - D[i]) -> p * (r * gv - D[i])",
        "pk[c] += r * ds -> pk[c] += ds",
    ),
    edit(
        "scale-of-D-only",
        "the scale belongs to D, but not to g·v",
        "s is q·k/√d. Does the factor 1/√d multiply the whole of dL/ds, or only one of its terms?",
        "p * (gv - D[i]) -> p * (gv - r * D[i])",
        "pk[c] += r * ds -> pk[c] += ds",
    ),
    edit(
        "D-added",
        "D is added to g·v",
        "The scores of a query all rise by 1. Does p change? What must ds then sum to over the keys?",
        "p * (gv - D[i]) -> p * (gv + D[i])",
    ),
    edit(
        "D-outside",
        "p multiplies g·v, but not D",
        "Which factor do both terms of the gradient of a score have?",
        "p * (gv - D[i]) -> p * gv - D[i]",
    ),
    edit(
        "full-rounds-of-columns",
        "d is a multiple of 8",
        "d is 19. Which thread stores column 18, and in which round?",
        "c < d; c += 8 -> c < d / 8 * 8; c += 8",
    ),
    edit(
        "skipped-by-ds",
        "a query whose ds is tiny contributes nothing",
        "ds can be 0 although p is not. To which of dk and dv does the query then contribute?",
        "ds = p * (gv - D[i]); -> ds = p * (gv - D[i]); if (fabsf(ds) < 1e-6f) continue;",
    ),
    edit(
        "skipped-by-large-p",
        "a p below 1e-3 counts as 0",
        "Below which p may your code skip a query, according to the task?",
        "ds = p * (gv - D[i]); -> ds = p * (gv - D[i]); if (p < 1e-3f) continue;",
    ),
]


@mistake(
    "race",
    "the threads of a block can add to one row of dk",
    "Eight threads add to dk[j]. What happens if two threads read the same element before either thread writes it?",
)
def cuda_flash_attention_backward_dkdv():
    return r"""
__global__ void fa_dkdv(const float* q, const float* k, const float* v,
                        const float* g, const float* lse, const float* D,
                        float* dk, float* dv, int n, int m, int d) {
    extern __shared__ float parts[];
    int t = threadIdx.x, j = blockIdx.x * d;
    for (int c = t; c < d; c += 8) parts[c] = parts[d + c] = 0.0f;
    __syncthreads();
    for (int i = t; i < n; i += 8) {
        float qk = 0.0f, gv = 0.0f, r = rsqrtf(d);
        for (int c = 0; c < d; ++c) {
            qk += q[i * d + c] * k[j + c];
            gv += g[i * d + c] * v[j + c];
        }
        float p = expf(r * qk - lse[i]), ds = p * (gv - D[i]);
        for (int c = 0; c < d; ++c) {
            parts[c] += r * ds * q[i * d + c];
            parts[d + c] += p * g[i * d + c];
        }
    }
    __syncthreads();
    for (int c = t; c < d; c += 8) {
        dk[j + c] = parts[c];
        dv[j + c] = parts[d + c];
    }
}
"""
