"""W[d][e] reaches out[n][e] for every row n, with the factor X[n][d]. So its gradient is a sum over the rows:

    dW[d][e] = Σ_n X[n][d] G[n][e]        dW = Xᵀ G

The block owns 8 rows d and 8 columns e of dW. For 8 rows n at a time, it loads an 8 x 8 tile of X and one of G. Both
tiles are loaded as they are stored, with threadIdx.x along the row, so that the reads are coalesced. A column of the
tile of X is a row of dW. So blockIdx.y chooses the columns of X, although threadIdx.x runs along them while the tile is
loaded. The transpose costs nothing, because the product reads xs[k][ty] in place of xs[ty][k].

Two barriers are needed in each step. After loading, every thread waits until the tiles are complete. After the
products, every thread waits until all have finished reading, because the next step overwrites the tiles.

At the edges, a tile reaches beyond the matrix. The threads there load 0, which adds nothing to a sum, and they take
part in both barriers. Only the store to dW is guarded.

Cost: 2·N·D·E operations, like the forward. Without tiles every product would need two loads from memory. With tiles of
8 each loaded element is used 8 times, so X is read E/8 times in all, and G is read D/8 times. The kernel keeps X from
the forward.

PyTorch: `AddmmBackward0` or `MmBackward0` calls a matrix product with a transposed operand. cuBLAS takes the transpose
as a flag, so Xᵀ is never built. The tiles of cuBLAS have 64 to 256 rows and columns, and on recent devices tensor cores
multiply them. If N is large and D and E are small, there are few tiles. Then the library may divide N among blocks,
which is called split-K, and add the partial products afterwards.

Asked next:

- Why are small tiles slow? → A step with tiles of side b loads 2·b² numbers and computes 2·b³ operations. These are b
  operations per number. With 4 bytes per number, an H100 needs about 80 operations per number that comes from memory.
  So b must be near 100, or each thread must compute several elements from registers.
- Does `xs[k][ty] * gs[k][tx]` have bank conflicts? → A warp covers 8 values of tx and 4 of ty. The reads of gs cover 8
  neighbouring floats, and the reads of xs cover 4 neighbouring floats. Lanes that read the same address share one read.
  So there is no conflict. For `xs[ty][k]` of a tile of 32 columns, the lanes with different ty would share a bank.
- Is one barrier enough with two buffers? → Yes. If step s loads into buffer s mod 2, a thread can be at most one step
  ahead of the others, and that step uses the other buffer. The price is twice the shared memory.
- What is dX, and which operand is transposed there? → dX = G Wᵀ. The sum runs over E, and W is read transposed.
"""

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Over which of the three sizes does the sum for one element of dW run? What does a tile at the edge contain?",
    (
        "For 8 rows at a time, load an 8 x 8 tile of X and one of G. Wait at a barrier, multiply, and wait again. "
        "Load zeros beyond the edges. Which index of the tile of X is the row of dW?"
    ),
    "Load X at row n + ty and column blockIdx.y·8 + tx. Multiply column ty of that tile by column tx of G's tile.",
)
WRT = ("W",)
RESULTS = ("dW",)
COTANGENTS = ("G",)
EQUIVALENT = {
    "comparison: for (int first = 0; first < N; first += 8) { -> for (int first = 0; first <= N...": (
        "if N is a multiple of 8, the additional step adds zeros"
    ),
    "constant: xs[ty][tx] =...": "beyond row N the other factor is 0, and rows of dW beyond D are not stored",
    "constant: gs[ty][tx] =...": "beyond row N the other factor is 0, and columns of dW beyond E are not stored",
}
CASES = [
    given("X[N,13] W[13,21]", large={"N": 107}),
    given("X[3,D] W[D,5]", large=False, note="few rows"),
    given("X[16,19] W[19,3]", large=False, note="full steps"),
]


def forward(X, W):
    return engine.matmul(X, W)


def saved(X, W):
    return {"N": len(X), "D": W.shape[0], "E": W.shape[1]}


def launch(D, E):
    return ((E + 7) // 8, (D + 7) // 8), (8, 8)


def cuda_matmul_backward_dw():
    return r"""
__global__ void matmul_dw(const float* X, const float* G, float* dW,
                          int N, int D, int E) {
    __shared__ float xs[8][8], gs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.y * 8 + tx;
    int d = blockIdx.y * 8 + ty, e = blockIdx.x * 8 + tx;
    float sum = 0.0f;
    for (int first = 0; first < N; first += 8) {
        int n = first + ty;
        xs[ty][tx] = n < N && x < D ? X[n * D + x] : 0.0f;
        gs[ty][tx] = n < N && e < E ? G[n * E + e] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 8; ++k) sum += xs[k][ty] * gs[k][tx];
        __syncthreads();
    }
    if (d < D && e < E) dW[d * E + e] = sum;
}
"""


MISTAKES = [
    edit(
        "one-barrier",
        "all threads are done with a tile when the first one loads the next",
        "What may a fast thread overwrite while a slow thread still multiplies?",
        "gs[k][tx];\n        __syncthreads(); -> gs[k][tx];",
    ),
    edit(
        "no-barrier-after-load",
        "a tile is complete when a thread has loaded its own element",
        "Which threads loaded the 16 elements that a thread multiplies?",
        "0.0f;\n        __syncthreads(); -> 0.0f;",
    ),
    edit(
        "no-edge-guard",
        "the sizes are multiples of the tile",
        "What do the threads of the last tile read if D is 41?",
        "n < N && x < D ? X[n * D + x] : 0.0f -> X[n * D + x]",
        "n < N && e < E ? G[n * E + e] : 0.0f -> G[n * E + e]",
    ),
    edit(
        "partial-tile",
        "N is a multiple of the tile",
        "N is 41. Which rows are left after five steps of 8?",
        "first < N; -> first + 8 <= N;",
    ),
    edit(
        "stale-tile",
        "a place of the tile beyond row N holds 0",
        "N is 41. In the last step, which rows of X and G do the tiles still hold from the step before?",
        "float sum = 0.0f; -> float sum = 0.0f; xs[ty][tx] = gs[ty][tx] = 0.0f;",
        "xs[ty][tx] = n < N && x < D ? X[n * D + x] : 0.0f; -> if (n < N && x < D) xs[ty][tx] = X[n * D + x];",
        "gs[ty][tx] = n < N && e < E ? G[n * E + e] : 0.0f; -> if (n < N && e < E) gs[ty][tx] = G[n * E + e];",
    ),
    edit(
        "no-write-guard",
        "every thread of the last tile has an element of dW",
        "D is 41. Which row of dW belongs to the last thread of the last block along y?",
        "if (d < D && e < E) dW -> dW",
    ),
    edit(
        "transposed",
        "dW is stored column by column",
        "dW has E columns and is stored row by row. How far apart are dW[d][e] and dW[d+1][e]?",
        "dW[d * E + e] -> dW[e * D + d]",
    ),
    edit(
        "tile-not-transposed",
        "the product runs along the rows of both tiles",
        "The sum runs over n. Which index of the tile of X is n?",
        "xs[k][ty] -> xs[ty][k]",
    ),
    edit(
        "tile-of-wrong-rows",
        "the columns of X are counted by blockIdx.x",
        "A column of X is a row of dW. Along which axis of the grid are the rows of dW counted?",
        "x = blockIdx.y * 8 + tx -> x = blockIdx.x * 8 + tx",
    ),
    edit(
        "assign",
        "one product is the whole sum",
        "What does the register hold after the second product?",
        "sum += xs -> sum = xs",
    ),
    edit(
        "row-length-of-dW",
        "a row of dW has D elements",
        "dW has the shape of W: D rows and E columns. How far apart are dW[d][e] and dW[d+1][e] in memory?",
        "dW[d * E + e] -> dW[d * D + e]",
    ),
    edit(
        "row-length-of-G",
        "a row of G has D elements",
        "G has the shape of out. How many columns does it have?",
        "G[n * E + e] -> G[n * D + e]",
    ),
    edit(
        "row-length-of-X",
        "a row of X has E elements",
        "How many columns does X have?",
        "X[n * D + x] -> X[n * E + x]",
    ),
    edit(
        "first-step-only",
        "the sum runs over the first 8 rows only",
        "N is 41. Which rows has the block added after one step?",
        "first < N; -> first < 8;",
    ),
    edit(
        "mean-over-rows",
        "the gradient of W is a mean over the rows",
        "L is a function of out. Does the forward average over the rows of X?",
        "e < E) dW[d * E + e] = sum -> e < E) dW[d * E + e] = sum / N",
    ),
    edit(
        "full-tiles-only",
        "a tile at the edge has nothing to store",
        "D is 13 and a tile has 8 rows. Which threads store row 12 of dW?",
        "d < D && e < E -> d < D / 8 * 8 && e < E / 8 * 8",
    ),
]


@mistake(
    "returns-before-barrier",
    "a thread without an element of dW can return at once",
    "The threads beyond the edge also load elements that others need. Do they reach the barriers?",
)
def cuda_matmul_backward_dw():
    return r"""
__global__ void matmul_dw(const float* X, const float* G, float* dW,
                          int N, int D, int E) {
    __shared__ float xs[8][8], gs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.y * 8 + tx;
    int d = blockIdx.y * 8 + ty, e = blockIdx.x * 8 + tx;
    if (d >= D || e >= E) return;
    float sum = 0.0f;
    for (int first = 0; first < N; first += 8) {
        int n = first + ty;
        xs[ty][tx] = n < N && x < D ? X[n * D + x] : 0.0f;
        gs[ty][tx] = n < N ? G[n * E + e] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 8; ++k) sum += xs[k][ty] * gs[k][tx];
        __syncthreads();
    }
    dW[d * E + e] = sum;
}
"""
