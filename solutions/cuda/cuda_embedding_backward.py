"""Row r of the table was copied to every position t with ids[t] = r, so its gradient is the sum of g over these
positions:

    dW[r] = Σ of g[t] over all t with ids[t] = r

Each thread takes one element k of g. Its token is t = k / D and its column is k % D. The thread adds g[k] to row ids[t]
of dW. Neighbouring threads mostly have neighbouring columns of one token, so both the reads and the additions are at
neighbouring addresses.

Two positions with the same token add to the same elements of dW from different threads, perhaps of different blocks. So
the addition must be atomic. The reads need no care, because nothing writes to g or ids.

Cost: T·D reads of g and T·D atomic additions. The hardware performs atomics on one address one after another. So the
kernel becomes slower as the most frequent token becomes more common. A dense dW must also be filled with zeros. For a
vocabulary of 128,000, dW usually has far more rows than g.

PyTorch: `EmbeddingBackward0` keeps the indices. On CUDA, `embedding_dense_backward` does not use atomics. For up to
3072 indices, the warps of a block agree on one warp for each repeated row, and this warp adds all contributions to the
row. If there are more indices, PyTorch sorts them and adds the contributions to one row as a segment. In both ways, the
result is the same in every run. `index_add_` on CUDA does use atomics, except with
`torch.use_deterministic_algorithms(True)`.

Asked next:

- The text is natural language. What is the effect on the atomics? → The frequency of a token falls roughly as one over
  its rank, so a few tokens make up a large part of all positions. Atomics on the rows of these tokens wait for each
  other. Sort the ids and sum each segment, or let a block collect its contributions to the most frequent tokens in
  shared memory first.
- Is the result the same in every run? → No. The order of the atomics is not fixed, and float addition is not
  associative. The exercise after this one sorts the ids and needs no atomics.
- dW is float16. What changes? → Each atomic addition rounds to float16, so small contributions to a frequent row are
  lost. Add in a float32 table and convert once.
- T·D exceeds 2³¹. What breaks? → `k` and `ids[t] * D` overflow in `int`. Compute them in `size_t` or `long long`.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake

HINTS = (
    "Which element of dW receives g[t][d]? Can two threads add to the same element?",
    "Thread k takes element k of g, and divides k by D to find the token. Contributions to one row must be added.",
    "Return if k is not below T·D. Add g[k] atomically to the row ids[k / D], at the column k % D.",
)
WRT = ("W",)
CASES = [
    given("W[V,D] ids[T]", ids=below("V"), large={"T": 307, "D": 23}),
    given("W[6,D] ids[9]", ids=[2, 0, 2, 2, 5, 1, 2, 0, 2], large=False, note="one token five times"),
]


def forward(W, ids):
    return engine.embedding(ids, W)


def saved(W, ids):
    return {"dW": np.zeros_like(W), "T": len(ids)}


def launch(T, D):
    return (T * D + 15) // 16, 16


def cuda_embedding_backward():
    return r"""
__global__ void emb_bwd(const float* g, const int* ids, float* dW,
                        int T, int D) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= T * D) return;
    atomicAdd(&dW[ids[k / D] * D + k % D], g[k]);
}
"""


MISTAKES = [
    edit(
        "race",
        "no addition is lost if several threads execute `+=` at the same time",
        "A token occurs twice. What happens if two threads read the same element of dW before either thread writes it?",
        "atomicAdd(&dW[ids[k / D] * D + k % D], g[k]); -> dW[ids[k / D] * D + k % D] += g[k];",
    ),
    edit(
        "assign",
        "each token occurs once",
        "What does a row of dW hold once both positions of its token have written?",
        "atomicAdd(&dW[ids[k / D] * D + k % D], g[k]); -> dW[ids[k / D] * D + k % D] = g[k];",
    ),
    edit(
        "no-guard",
        "T·D is a multiple of the block's size",
        "T·D is 45, and 3 blocks have 48 threads. Which elements do the last three threads take?",
        "if (k >= T * D) return; ->",
    ),
    edit(
        "position-as-row",
        "row t of dW belongs to position t",
        "Which row of the table was copied to position t?",
        "ids[k / D] * D -> k / D * D",
    ),
    edit(
        "transposed",
        "g is stored column by column",
        "The elements k and k + 1 are neighbours in memory. Do they belong to one token or to one column?",
        "ids[k / D] * D + k % D -> ids[k % T] * D + k / T",
    ),
    edit(
        "row-stride-left-out",
        "row r begins at element r",
        "At which element does row 2 of a table with D columns begin?",
        "ids[k / D] * D + k % D -> ids[k / D] + k % D",
    ),
    edit(
        "mean-over-occurrences",
        "the gradients of equal tokens are averaged",
        "If W[v] moves by 1, how many rows of out move by 1? Do their gradients add up, or is their mean taken?",
        "atomicAdd(&dW[ids[k / D] * D + k % D], g[k]); -> int count = 0;\n    for (int t = 0; t < T; ++t) "
        "count += ids[t] == ids[k / D];\n    atomicAdd(&dW[ids[k / D] * D + k % D], g[k] / count);",
    ),
    edit(
        "token-0-as-padding",
        "token 0 is padding and has no gradient",
        "Does the task name a token without a gradient?",
        "if (k >= T * D) return; -> if (k >= T * D || ids[k / D] == 0) return;",
    ),
    edit(
        "block-per-token",
        "block t takes token t, and thread d takes column d",
        "T is 3 and D is 3. How many blocks does the launch have, and how many of their threads does your kernel use?",
        "if (k >= T * D) return; -> if (blockIdx.x >= T || threadIdx.x >= D) return; k = blockIdx.x * D + threadIdx.x;",
    ),
    edit(
        "one-column",
        "the row of a token has only one element",
        "How many elements of g belong to token t, and which of them does your kernel add?",
        "if (k >= T * D) return; -> if (k >= T * D || k % D) return;",
    ),
    edit(
        "stride-of-the-tokens",
        "a row of dW has as many elements as there are tokens",
        "dW has V rows. How many elements does each of them have: T or D?",
        "ids[k / D] * D + k % D -> ids[k / D] * T + k % D",
    ),
    edit(
        "zeroed-by-every-thread",
        "each thread can set its element of dW to 0 before it adds",
        "A token occurs twice. What may one thread have added before the other one stores 0?",
        "atomicAdd(&dW -> dW[ids[k / D] * D + k % D] = 0.0f;\n    atomicAdd(&dW",
    ),
    edit(
        "full-blocks-only",
        "the elements of g fill all blocks",
        "T·D is 45 and a block has 16 threads. Which block takes element 40 of g?",
        "if (k >= T * D) return; -> if (k >= T * D / 16 * 16) return;",
    ),
]


@mistake(
    "fewer-blocks-than-tokens",
    "there is a block for each token",
    "T is 9 and D is 3, so the launch has 2 blocks. Which tokens does your kernel never take?",
)
def cuda_embedding_backward():
    return r"""
__global__ void emb_bwd(const float* g, const int* ids, float* dW,
                        int T, int D) {
    int t = blockIdx.x;
    if (t >= T) return;
    for (int c = threadIdx.x; c < D; c += blockDim.x)
        atomicAdd(&dW[ids[t] * D + c], g[t * D + c]);
}
"""
