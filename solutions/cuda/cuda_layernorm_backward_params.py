"""gamma[j] and beta[j] act on every row, so their gradients are sums over the rows:

    dgamma_j = Σ_i g_ij x̂_ij        dbeta_j = Σ_i g_ij

N is large and D is small, so one thread per column would leave the device idle. The rows are therefore divided twice.

A thread begins at the row 4·blockIdx.y + threadIdx.y and takes every 12th row from there on, because 3 blocks with 4
rows of threads share a column. Each element belongs to exactly one thread. Neighbouring threads along x read
neighbouring floats.

Each thread stores its two sums in shared memory. After a barrier, the threads with threadIdx.y = 0 add the four sums of
their column. Threads beyond the last column cannot return before the barrier, since all threads of the block must reach
it. Instead, these threads skip the loop and store 0.

Three blocks share each column, and they run in any order. So the sums of the blocks are added by `atomicAdd`.

Cost: each element of g and x̂ is read once, 8 bytes for a multiplication and two additions, so memory bandwidth is the
limit. There are 2 atomics per block and column, 6·D in all. Without shared memory there would be 24·D atomics.

PyTorch: on CUDA the two gradients come from a kernel of their own. Its blocks are also two-dimensional, with threads
along the columns and along the rows. For a large N the rows are divided among several blocks along y. These blocks
write partial sums to a buffer, and `sum` over that buffer gives the gradients. So no atomics on floats are needed, and
the result is the same in every run.

Asked next:

- Why is this kernel harder to make fast than the one for dx? → A sum for dx runs along a row, within one block. The
  sums for gamma and beta run over the rows, so they cross blocks. Different blocks share only global memory.
- How would you make this kernel deterministic? → Let each block along y store its sums in a row of a (3, D) buffer, and
  add the three rows in a second launch, in a fixed order.
- Is the column index a good choice for threadIdx.x? → Yes. Threads of a warp with neighbouring threadIdx.x read
  neighbouring floats of a row. If threadIdx.x were the row index, neighbouring threads would read addresses 4·D bytes
  apart, and each would need a memory sector of its own.
- g is bfloat16 and N is a million. Which type do the sums have? → The sums are float32, in registers, in shared memory
  and in global memory. In bfloat16 a sum of ones stops at 256.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Which threads of one block hold parts of the sum of a column, and how can they add their parts? Which other "
        "blocks hold parts of the same sum?"
    ),
    (
        "Sum your rows in registers. Add the four sums of a column in shared memory. Then add the block's sum to the "
        "sums of the other blocks atomically."
    ),
    "Let the row begin at 4·blockIdx.y + threadIdx.y and step by 4·gridDim.y. No thread may return before the barrier.",
)
WRT = ("gamma", "beta")
CASES = [given("x[N,D] gamma[D] beta[D]", large={"N": 307, "D": 23})]


def forward(x, gamma, beta):
    return engine.layer_norm(x, weight=gamma, bias=beta, eps=1e-5)


def saved(x, gamma, beta):
    x = np.asarray(x, np.float64)
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    xhat = (x - x.mean(axis=1, keepdims=True)) * rstd
    return {"xhat": xhat, "dgamma": np.zeros_like(gamma), "dbeta": np.zeros_like(beta)}


def launch(D):
    return ((D + 7) // 8, 3), (8, 4)


def cuda_layernorm_backward_params():
    return r"""
__global__ void ln_bwd_params(const float* g, const float* xhat, float* dgamma,
                              float* dbeta, int N, int D) {
    __shared__ float sums[2][4][8];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 8 + tx;
    float sum1 = 0.0f, sum2 = 0.0f;
    for (int i = blockIdx.y * 4 + ty; i < N && j < D; i += gridDim.y * 4) {
        sum1 += g[i * D + j] * xhat[i * D + j];
        sum2 += g[i * D + j];
    }
    sums[0][ty][tx] = sum1;
    sums[1][ty][tx] = sum2;
    __syncthreads();
    if (ty != 0 || j >= D) return;
    for (int k = 1; k < 4; ++k) sum1 += sums[0][k][tx], sum2 += sums[1][k][tx];
    atomicAdd(&dgamma[j], sum1);
    atomicAdd(&dbeta[j], sum2);
}
"""


MISTAKES = [
    edit(
        "race",
        "no addition is lost if several blocks execute `+=` at the same time",
        "Three blocks share each column. What happens if two blocks read dgamma[j] before either block writes it?",
        "atomicAdd(&dgamma[j], sum1); -> dgamma[j] += sum1;",
        "atomicAdd(&dbeta[j], sum2); -> dbeta[j] += sum2;",
    ),
    edit(
        "overwrites",
        "one block owns each column",
        "What does dgamma[j] hold once all three blocks of a column have written?",
        "atomicAdd(&dgamma[j], sum1); -> dgamma[j] = sum1;",
        "atomicAdd(&dbeta[j], sum2); -> dbeta[j] = sum2;",
    ),
    edit(
        "slab-overlap",
        "each block along y sums all rows",
        "gridDim.y is 3. Which rows should the first block along y take, and which rows should the second block take?",
        "i = blockIdx.y * 4 + ty; -> i = ty;",
        "i += gridDim.y * 4 -> i += 4",
    ),
    edit(
        "missing-barrier",
        "the other threads of the column have stored their sums when the first row of threads reads them",
        "Which threads wrote the sums that the first row of threads reads? What makes the readers wait?",
        "__syncthreads(); ->",
    ),
    edit(
        "returns-before-barrier",
        "a thread without a column can return at once",
        "The last block has threads beyond the last column. Do they reach the barrier?",
        "float sum1 = 0.0f, sum2 = 0.0f; -> if (j >= D) return;\n    float sum1 = 0.0f, sum2 = 0.0f;",
    ),
    edit(
        "every-row-adds",
        "all threads of a column must add to the result",
        "Four threads share a column. How many times is the sum of the block added to dgamma[j]?",
        "if (ty != 0 || j >= D) return;\n    for (int k = 1; k < 4; ++k) sum1 += sums[0][k][tx], sum2 += "
        "sums[1][k][tx]; -> if (j >= D) return;\n    sum1 = sum2 = 0.0f;\n    for (int k = 0; k < 4; ++k) sum1 += "
        "sums[0][k][tx], sum2 += sums[1][k][tx];",
    ),
    edit(
        "first-row-only",
        "the sum of one thread is the sum of the block",
        "Some threads have threadIdx.y above 0. Which rows do they sum, and who adds their sums?",
        "for (int k = 1; k < 4; ++k) sum1 += sums[0][k][tx], sum2 += sums[1][k][tx]; ->",
    ),
    edit(
        "no-guard",
        "D is a multiple of 8",
        "D is 41. Which column does the last thread of the last block take?",
        "i < N && j < D -> i < N",
        "ty != 0 || j >= D -> ty != 0",
    ),
    edit(
        "transposed",
        "neighbours in a column are neighbours in memory",
        "The matrices are stored row by row: how far apart are g[i][j] and g[i+1][j]?",
        "sum1 += g[i * D + j] * xhat[i * D + j]; -> sum1 += g[j * N + i] * xhat[j * N + i];",
        "sum2 += g[i * D + j]; -> sum2 += g[j * N + i];",
    ),
    edit(
        "stride-of-one-block",
        "a block's next rows are 4 rows further down",
        "The grid has 3 blocks along y. Which block begins at row 4? Which rows must the first block take next?",
        "i += gridDim.y * 4 -> i += 4",
    ),
    edit(
        "one-row-a-thread",
        "the grid has a thread for every row, so no thread needs a loop",
        "The grid has 3 blocks of 4 rows along y. Which thread takes row 12?",
        "i += gridDim.y * 4 -> i += N",
    ),
    edit(
        "no-xhat",
        "both results are sums of g",
        "Which of gamma and beta does the forward multiply by xhat?",
        "g[i * D + j] * xhat[i * D + j] -> g[i * D + j]",
    ),
    edit(
        "rows-left-over",
        "N is a multiple of the 12 rows that the blocks along y take at a time",
        "N is 41. Which rows are left after three rounds of 12?",
        "i < N && j < D -> i < N / 12 * 12 && j < D",
    ),
    edit(
        "last-row",
        "a thread keeps only one row of its column",
        "What do the registers hold after the thread's second row?",
        "sum1 += g[i -> sum1 = g[i",
        "sum2 += g[i -> sum2 = g[i",
    ),
    edit(
        "third-rounded-down",
        "N is a multiple of the 3 blocks that share the rows",
        "N is 41, and each of three blocks takes N / 3 rows. How many rows are left?",
        "i = blockIdx.y * 4 + ty; i < N && j < D; i += gridDim.y * 4 "
        "-> i = blockIdx.y * (N / 3) + ty; i < (blockIdx.y + 1) * (N / 3) && j < D; i += 4",
    ),
    edit(
        "third-past-the-end",
        "N / 3, rounded up, is the number of rows of every block",
        "N is 41, and each of three blocks takes 14 rows. At which row does the last block end?",
        "i = blockIdx.y * 4 + ty; i < N && j < D; i += gridDim.y * 4 "
        "-> i = blockIdx.y * ((N + 2) / 3) + ty; i < (blockIdx.y + 1) * ((N + 2) / 3) && j < D; i += 4",
    ),
    edit(
        "last-column-again",
        "a thread beyond the last column can take the last column without harm",
        "D is 41. How many threads along x take column 40, and how often is a row of this column added?",
        "j = blockIdx.x * 8 + tx; -> j = blockIdx.x * 8 + tx < D ? blockIdx.x * 8 + tx : D - 1;",
    ),
    edit(
        "last-row-again",
        "a thread beyond the last row can take the last row without harm",
        "N is 41. Which rows are left for the four threads that begin at row 40, and how often is row 40 added?",
        "i < N && j < D -> i < (N + 3) / 4 * 4 && j < D",
        "sum1 += g[i * D + j] * xhat[i * D + j]; "
        "-> int r = i < N ? i : N - 1;\n        sum1 += g[r * D + j] * xhat[r * D + j];",
        "sum2 += g[i * D + j]; -> sum2 += g[r * D + j];",
    ),
    edit(
        "first-block-stores",
        "the first block along y runs before the other blocks",
        "In which order do the three blocks of a column run? What does a plain store do to an earlier sum?",
        "atomicAdd(&dgamma[j], sum1); -> if (blockIdx.y) atomicAdd(&dgamma[j], sum1);\n    else dgamma[j] = sum1;",
        "atomicAdd(&dbeta[j], sum2); -> if (blockIdx.y) atomicAdd(&dbeta[j], sum2);\n    else dbeta[j] = sum2;",
    ),
    edit(
        "zeroed-by-every-block",
        "each block can set the result to 0 before it adds",
        "Three blocks share dgamma[j]. What may a block have added before another block stores 0?",
        "atomicAdd(&dgamma[j], sum1); -> dgamma[j] = dbeta[j] = 0.0f;\n    atomicAdd(&dgamma[j], sum1);",
    ),
    edit(
        "full-blocks-only",
        "the columns fill all blocks",
        "D is 41 and a block has 8 columns. Which threads take column 40?",
        "ty != 0 || j >= D -> ty != 0 || j >= D / 8 * 8",
    ),
]


@mistake(
    "exchanged-results",
    "gamma is what is added",
    "Which of gamma and beta multiplies xhat? So in which sum does xhat appear?",
)
def cuda_layernorm_backward_params():
    return r"""
__global__ void ln_bwd_params(const float* g, const float* xhat, float* dgamma,
                              float* dbeta, int N, int D) {
    int j = blockIdx.x * 8 + threadIdx.x;
    if (j >= D) return;
    float sum1 = 0.0f, sum2 = 0.0f;
    for (int i = blockIdx.y * 4 + threadIdx.y; i < N; i += gridDim.y * 4) {
        sum1 += g[i * D + j] * xhat[i * D + j];
        sum2 += g[i * D + j];
    }
    atomicAdd(&dgamma[j], sum2);
    atomicAdd(&dbeta[j], sum1);
}
"""
