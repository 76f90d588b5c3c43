"""A bias is copied to every row, so its gradient is a sum over the rows: db[j] is the sum of g[i][j] over i.

Threads along x take neighbouring columns. So at each step the 32 threads of a warp read 32 neighbouring floats, which
are 128 bytes. If these bytes are aligned, they fill four sectors of 32 bytes, and no byte is wasted. (In this exercise
a block has 8 threads, a quarter of a warp.) A thread walks down its column in steps of `gridDim.y` and adds in a
register. The thread accesses `db` once, at the end.

Each column is shared by 3 blocks, and blocks run in any order or at the same time. So the partial sums must be added by
`atomicAdd`. A plain `+=` is a load, an addition and a store; if two threads do these steps at the same time, one
addition is lost. A plain `=` keeps the partial sum of only one block. The order of the atomics is not fixed, and
floating-point addition is not associative, so the last bits of `db` may differ from run to run.

Cost: each of the N·D elements of g is read once and added once. One addition for 4 bytes is little work, so memory
bandwidth is the limit once enough threads are running. There are 3·D atomics instead of N·D: one for each thread that
has a column. Nothing is kept from the forward, because db depends on neither x nor b.

PyTorch: for `x + b` the node, `AddBackward0`, keeps nothing and passes g on unchanged. The engine then sums g to the
shape of b. For `F.linear` of a matrix the node is `AddmmBackward0`, which may keep x and the weight for each other's
gradients. db is again a `sum` over the rows. On CUDA that `sum` combines the numbers of a block in shared memory. If
several blocks share an output, each block writes its part to a buffer, and the last block to finish adds the parts.
This method needs no atomics on floats. Other kernels do add atomically. For these,
`torch.use_deterministic_algorithms(True)` chooses another algorithm if one exists, as for `index_add`. If none exists,
the operation raises a RuntimeError.

Asked next:

- How would you make this kernel deterministic? → Each of the 3 blocks of a column stores its partial sum in its own row
  of a (3, D) buffer. A second launch, or the block that finishes last, adds the rows in a fixed order. Alternatively,
  launch only one block along y. Then one thread owns each column, and there are a third as many threads.
- What if D is 1 and N is a million? → The grid is one block wide, and in each of the 3 blocks only one of 8 threads has
  a column. So 3 threads add a third of a million numbers each, one after another. Spread the rows over the threads as
  well. Combine the sums of a warp with `__shfl_down_sync` and the sums of a block in shared memory, and add to db once
  per block.
- What breaks if N·D exceeds 2³¹? → `i * D + j` is computed in `int` and overflows, which is undefined behaviour.
  Compute the offset in `size_t` or `long long`.
- g is bfloat16. In which type do you add? → Add in float32, and round once at the end. In bfloat16, 256 + 1 is 256, so
  a running sum of ones stops at 256. An atomic addition to a bfloat16 also rounds every time.
"""

import numpy as np

from autodrill.drills import edit, given, mistake

HINTS = (
    "Three blocks share each column. How must their partial sums be combined in db[j]?",
    (
        "Sum every third row of your column in a register. Then let the hardware add your sum to the sums of the "
        "other blocks."
    ),
    "Return if the column does not exist. Loop from blockIdx.y in strides of gridDim.y. Add once, atomically.",
)
CASES = [given("x[N,D] b[D]", large={"N": 307})]
WRT = ("b",)


def forward(x, b):
    return x + b


def saved(x, b):
    return {"db": np.zeros_like(b)}


def launch(D):
    return ((D + 7) // 8, 3), 8


def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    atomicAdd(&db[j], sum);
}
"""


MISTAKES = [
    edit(
        "every-row-in-every-block",
        "each block along y sums all rows",
        "gridDim.y is 3. How many times does a row enter db[j] if every block goes through all rows?",
        "int i = blockIdx.y; i < N; i += gridDim.y -> int i = 0; i < N; ++i",
    ),
    edit(
        "stride-of-one",
        "the next row of a block is the next row of the matrix",
        "The first block begins at row 0, the second at row 1. How many times is row 2 added?",
        "i += gridDim.y -> ++i",
    ),
    edit(
        "rows-left-over",
        "N is a multiple of the number of blocks along y",
        "N is 41 and gridDim.y is 3. Which rows remain if each block takes N / 3 rows, rounded down?",
        "int i = blockIdx.y; i < N; i += gridDim.y "
        "-> int i = blockIdx.y * (N / gridDim.y); i < (blockIdx.y + 1) * (N / gridDim.y); ++i",
    ),
    edit(
        "mean-over-rows",
        "the gradient of a bias is a mean over the rows",
        "If b[j] rises by 1, by how much does each out[i][j] rise? What must happen to the contributions of the rows?",
        "atomicAdd(&db[j], sum) -> atomicAdd(&db[j], sum / N)",
    ),
    edit(
        "last-row",
        "a block keeps only one row of each column",
        "What does the register hold after the second row of the block?",
        "sum += g -> sum = g",
    ),
    edit(
        "running-sum-added",
        "the register holds only the row that was read last",
        "After the second row, which part of the register has already been added to db?",
        "sum += g[i * D + j];\n    atomicAdd(&db[j], sum); -> atomicAdd(&db[j], sum += g[i * D + j]);",
    ),
    edit(
        "no-end-of-rows",
        "the rows of the last block end at row N",
        "N is 41 and a block takes 14 rows. At which row does the third block begin, and at which row does it stop?",
        "int i = blockIdx.y; i < N; i += gridDim.y "
        "-> int n = (N + gridDim.y - 1) / gridDim.y, i = blockIdx.y * n; i < (blockIdx.y + 1) * n; ++i",
    ),
    edit(
        "zero-skipped",
        "a sum that is neither above nor below 0 is 0",
        "Is NaN > 0? Is NaN < 0? What does your kernel add to db[j] if a row holds NaN?",
        "atomicAdd(&db[j], sum); -> if (sum > 0.0f || sum < 0.0f) atomicAdd(&db[j], sum);",
    ),
    edit(
        "first-block-stores",
        "the first block along y runs before the other blocks",
        "In which order do the three blocks of a column run? What does a plain store do to the sum in db[j]?",
        "atomicAdd(&db[j], sum); -> if (blockIdx.y == 0) db[j] = sum;\n    else atomicAdd(&db[j], sum);",
    ),
    edit(
        "zeroed-by-every-block",
        "each block can set the result to 0 before it adds",
        "Three blocks share db[j]. What may a block have added before another block stores 0?",
        "float sum = 0.0f; -> float sum = 0.0f;\n    db[j] = 0.0f;",
    ),
    edit(
        "full-blocks-only",
        "the columns fill all blocks",
        "D is 53 and a block has 8 threads. Which threads take the columns 48 to 52?",
        "if (j >= D) return; -> if (j >= D / 8 * 8) return;",
    ),
]


@mistake(
    "race",
    "no addition is lost if several threads execute `+=` at the same time",
    "Which other threads write db[j]? What happens if two threads load db[j] before either of them stores its sum?",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    db[j] += sum;
}
"""


@mistake(
    "overwrites",
    "one thread owns each column",
    "Partial sums must be added. What does db[j] hold once all three blocks of a column have written?",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    db[j] = sum;
}
"""


@mistake(
    "no-guard",
    "D is a multiple of the block size",
    "D is 53 and a block has 8 threads. Which column does the last thread take?",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    atomicAdd(&db[j], sum);
}
"""


@mistake(
    "transposed",
    "neighbours in a column are neighbours in memory",
    "The matrix is stored row by row: how far apart are g[i][j] and g[i+1][j]? "
    "(Neighbouring threads would also read far-apart addresses.)",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[j * N + i];
    atomicAdd(&db[j], sum);
}
"""
