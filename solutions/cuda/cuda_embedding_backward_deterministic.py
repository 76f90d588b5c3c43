"""The gradient of row r is the sum of g over the positions of token r. After sorting, these positions are neighbours in
`order`, so a sum over scattered positions becomes a sum over a segment.

Segment s belongs to one block, and column d of the segment belongs to one thread of this block. No other thread writes
that element of dW, so neither an atomic nor a barrier is needed. The thread adds in a register, from start[s] up to but
not including start[s + 1], and stores the sum once. The order of the additions is fixed, because the sort is stable. So
the result is the same, bit for bit, in every run.

Three indices must not be confused: k counts sorted positions, order[k] is a row of g, and row[s] is a row of dW.
Neighbouring threads take neighbouring columns, so each step reads neighbouring floats of one row of g.

Cost: each element of g is read once, and each touched element of dW is written once. The sort costs a few passes over
the T ids, far less than T·D elements for a large D. Long segments are a weakness, because one block adds all positions
of a segment one after another.

PyTorch: for more than 3072 indices, `embedding_dense_backward` on CUDA sorts the indices, divides long segments into
parts of a bounded length, sums the parts into a buffer, and then sums the parts of each segment. So a frequent token
uses many blocks. There are no atomics, and the result is the same in every run.

Asked next:

- One token makes up half of the positions. How do you keep the device busy? → Divide each segment into parts of at
  most, say, 64 positions. One launch sums the parts, and a second launch sums the parts of each segment in order.
- Must the sort be stable for a deterministic result? → Not necessarily, but the sort must give the same order in every
  run. A stable sort does so, because the ids alone determine its order. A sort that orders equal ids by chance would
  change the last bits of the sums.
- Why not let one block search all ids for its token? → Each of the S blocks would then read all T ids. The sort takes a
  few passes over the ids, however large S is.
- How would you compute `start` and `row` on the GPU? → Mark each sorted position whose id differs from the previous id.
  A prefix sum of the marks numbers the segments. Each marked position then stores its place in `start` and its id in
  `row`.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake

HINTS = (
    "How many threads need to write to one element of dW if a whole segment belongs to one block?",
    "A thread owns a column of the segment: it adds the rows of g that the segment lists, and stores the sum once.",
    (
        "Let the column begin at threadIdx.x and step by blockDim.x. For each index k in segment s, use order[k] as "
        "a row of g. Use row[s] as a row of dW."
    ),
)
WRT = ("W",)
EQUIVALENT = {
    "axis: for (int d = threadIdx.x; d < D; d += blockDim.x) {...": (
        "several threads store the same sum of a column, which is only slower"
    ),
}
CASES = [
    given("W[V,D] ids[T]", ids=below("V"), large={"T": 307, "D": 23}),
    given("W[8,D] ids[9]", ids=[2, 0, 2, 2, 5, 7, 2, 0, 2], large=False, note="long and short segments"),
    given(
        "W[V,D] ids[T]",
        W=[[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]],
        ids=[1, 1, 2, 1, 2, 2],
        g=[[3e38, 2e38], [-3e38, -2e38], [3e38, 2e38], [-3e38, -2e38], [-3e38, -2e38], [3e38, 2e38]],
        large=False,
        note="sums near the largest float32",
    ),
]


def forward(W, ids):
    return engine.embedding(ids, W)


def saved(W, ids):
    row, counts = np.unique(ids, return_counts=True)
    start = np.concatenate([[0], counts.cumsum()])
    order = np.argsort(ids, kind="stable")
    return {"dW": np.zeros_like(W), "order": order, "start": start, "row": row, "S": len(row)}


def launch(S):
    return S, 8


def cuda_embedding_backward_deterministic():
    return r"""
__global__ void emb_bwd_det(const float* g, const int* order, const int* start,
                            const int* row, float* dW, int S, int D) {
    int s = blockIdx.x;
    for (int d = threadIdx.x; d < D; d += blockDim.x) {
        float sum = 0.0f;
        for (int k = start[s]; k < start[s + 1]; ++k)
            sum += g[order[k] * D + d];
        dW[row[s] * D + d] = sum;
    }
}
"""


MISTAKES = [
    edit(
        "off-by-one",
        "segment s ends before the position start[s + 1] - 1",
        (
            "Let start[s] be 0 and start[s + 1] be 1. How many positions does segment s have, and how many does your "
            "loop visit?"
        ),
        "k < start[s + 1]; -> k < start[s + 1] - 1;",
    ),
    edit(
        "segment-as-row",
        "segment s is row s of the table",
        "The ids are 7, 3 and 7. To which row of the table does segment 0 belong?",
        "dW[row[s] * D + d] -> dW[s * D + d]",
    ),
    edit(
        "no-permutation",
        "g is sorted as the ids are",
        "The ids were sorted, but g was not. Which row of g belongs to sorted position k?",
        "g[order[k] * D + d] -> g[k * D + d]",
    ),
    edit(
        "one-column-a-thread",
        "D is at most the size of a block",
        "D is 41 and a block has 8 threads. Which thread takes column 8?",
        "d < D; d += blockDim.x -> d < D; d += D",
    ),
    edit(
        "no-guard",
        "D is a multiple of the block's size",
        "D is 41. Which column does the last thread take in the last round?",
        "d < D; -> d < (D + 7) / 8 * 8;",
    ),
    edit(
        "assign",
        "a segment has one position",
        "What does the register hold after the second position of the segment?",
        "sum += g[order[k] * D + d]; -> sum = g[order[k] * D + d];",
    ),
    edit(
        "sum-not-reset",
        "the register is 0 again when the next column begins",
        "What does the register hold when the thread begins its second column?",
        "for (int d = threadIdx.x; d < D; d += blockDim.x) {\n        float sum = 0.0f; "
        "-> float sum = 0.0f;\n    for (int d = threadIdx.x; d < D; d += blockDim.x) {",
    ),
    edit(
        "backwards",
        "the order within a segment is free",
        "A segment holds 3e38, -3e38 and -3e38. If you start from its last row, what is the first sum in float32?",
        "int k = start[s]; k < start[s + 1]; ++k -> int k = start[s + 1] - 1; k >= start[s]; --k",
    ),
    edit(
        "two-partial-sums",
        "a fixed order of the additions is enough, even if it differs from the task's order",
        "Add 3e38, -3e38, 3e38 in the order of the segment, then in yours. Which of your partial sums overflows?",
        "float sum = 0.0f; -> float sum = 0.0f, odd = 0.0f;",
        "sum += g[order[k] * D + d]; -> ((k - start[s]) % 2 ? odd : sum) += g[order[k] * D + d];",
        "dW[row[s] * D + d] = sum -> dW[row[s] * D + d] = sum + odd",
    ),
    edit(
        "mean-over-segment",
        "the gradients of a segment are averaged",
        "If a row of the table moves by 1, how many rows of out move by 1? Do their gradients add up, or is "
        "their mean taken?",
        "dW[row[s] * D + d] = sum -> dW[row[s] * D + d] = sum / (start[s + 1] - start[s])",
    ),
    edit(
        "first-position-left-out",
        "a segment begins after start[s]",
        "Is order[start[s]] part of segment s?",
        "int k = start[s]; -> int k = start[s] + 1;",
    ),
    edit(
        "neighbouring-positions",
        "equal tokens stand next to each other in the text",
        "The ids are 7, 3 and 7. Which rows of g belong to token 7, and which rows does your kernel add?",
        "g[order[k] * D + d] -> g[(order[start[s]] + k - start[s]) * D + d]",
    ),
    edit(
        "chunks-rounded-down",
        "D / 8 chunks of 8 columns are all columns",
        "D is 41, and each of D / 8 chunks has 8 columns. Which columns are left over?",
        "d < D; -> d < (D < 8 ? D : D / 8 * 8);",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "D is 41. Which thread takes column 40, and in which round?",
        "d < D; -> d < D / 8 * 8;",
    ),
    edit(
        "last-segment-left-out",
        "the last segment has no end",
        "`start` has S + 1 elements. Where does segment S - 1 end?",
        "int s = blockIdx.x; -> int s = blockIdx.x;\n    if (s + 1 >= S) return;",
    ),
]


@mistake(
    "every-token",
    "block s takes row s of g",
    "Block s belongs to segment s. Which rows of g belong to this segment?",
)
def cuda_embedding_backward_deterministic():
    return r"""
__global__ void emb_bwd_det(const float* g, const int* order, const int* start,
                            const int* row, float* dW, int S, int D) {
    int s = blockIdx.x;
    for (int d = threadIdx.x; d < D; d += blockDim.x)
        dW[row[s] * D + d] = g[s * D + d];
}
"""
