"""The product rule gives both gradients, and the broadcast turns the second one into a sum over the rows:

    da_ij = g_ij b_j        db_j = Σ_i g_ij a_ij

da is elementwise: each element has one writer. db is a reduction: every row of a column contributes to one element.

A thread takes a column, and b[j] stays in a register. The thread walks down the column in steps of three rows. At each
step it reads g and a once, stores an element of da, and adds to its sum. So one pass serves both gradients. At the end
the thread adds its sum to db. Three blocks share each column, so this addition must be atomic. The store to da need not
be atomic, because no other thread writes that element.

Neighbouring threads have neighbouring columns, so reads and stores are coalesced.

Cost: 12 bytes per element: g and a are read, and da is written. Two kernels, one for da and one for db, would read g
twice, which makes 16 bytes. There are 3·D atomic additions. Both a and b must be kept for backward, because the
derivative of a product is the other factor.

PyTorch: `MulBackward0` keeps both operands, or only one if the other needs no gradient. It computes g·b and g·a, each
of the full shape N x D, with elementwise kernels. Then the engine sums the second one over the rows, with a reduction
kernel. So without fusion an N x D array is written and read again for db. `torch.compile` can fuse the product with the
reduction.

Asked next:

- What if b has shape (N, 1)? → db_i is then a sum along row i. Give each row to one block or one warp. It sums g·a by
  shuffles, without atomics, and writes da in the same pass.
- What if N is 1? → Then b is not broadcast, and db = g·a. Two of the three blocks along y have no row. Their threads
  add 0, or skip the atomic.
- The result for db differs between runs. Why, and how is this avoided? → The order of the three atomics of a column is
  not fixed. Let the blocks store their sums in a (3, D) buffer, and add the rows in a fixed order.
- a and b are the same vector, so out = b·b. Which gradient does this vector get? → The sum of both gradients, 2 g b.
  The engine adds what the node returns for its two inputs.
"""

import numpy as np

from autodrill.drills import edit, given

HINTS = (
    "Which of the two results has one thread per element, and which has many threads per element?",
    "In one pass down a column, store an element of da for each row and collect the sum for db in a register.",
    (
        "Keep b[j] and the sum in registers. Let the row step by gridDim.y. After the loop, add the sum atomically to "
        "db[j]."
    ),
)
CASES = [given("a[N,D] b[D]", large={"N": 307, "D": 23})]


def forward(a, b):
    return a * b


def saved(a, b):
    return {"db": np.zeros_like(b)}


def launch(D):
    return ((D + 7) // 8, 3), 8


def cuda_mul_broadcast_backward():
    return r"""
__global__ void mul_bcast_bwd(const float* g, const float* a, const float* b,
                              float* da, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float factor = b[j], sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) {
        float up = g[i * D + j];
        da[i * D + j] = up * factor;
        sum += up * a[i * D + j];
    }
    atomicAdd(&db[j], sum);
}
"""


MISTAKES = [
    edit(
        "race",
        "no addition is lost if several blocks execute `+=` at the same time",
        "Three blocks share each column. What happens if two blocks read db[j] before either block writes it?",
        "atomicAdd(&db[j], sum); -> db[j] += sum;",
    ),
    edit(
        "overwrites",
        "one block owns each column",
        "What does db[j] hold once all three blocks of a column have written?",
        "atomicAdd(&db[j], sum); -> db[j] = sum;",
    ),
    edit(
        "last-row",
        "b acts on one row only",
        "b[j] multiplies an element of every row. What must happen to the contributions of the rows?",
        "sum += up * a[i * D + j]; -> sum = up * a[i * D + j];",
    ),
    edit(
        "b-index",
        "b has an element for each row",
        "b has D elements. Which element of b multiplies a[i][j]?",
        "factor = b[j], sum -> sum",
        "up * factor -> up * b[i % D]",
    ),
    edit(
        "no-guard",
        "D is a multiple of the block's size",
        "D is 53 and a block has 8 threads. Which column does the last thread take?",
        "if (j >= D) return; ->",
    ),
    edit(
        "own-operand",
        "the gradient of a factor contains that factor",
        "If a[i][j] rises by 1, by how much does out[i][j] rise: by a[i][j] or by b[j]?",
        "up * factor -> up * a[i * D + j]",
        "up * a[i * D + j];\n    } -> up * factor;\n    }",
    ),
    edit(
        "every-row-in-every-block",
        "each block along y goes through all rows",
        "gridDim.y is 3. How many threads write to da[0][0]?",
        "i = blockIdx.y; i < N; i += gridDim.y -> i = 0; i < N; ++i",
    ),
    edit(
        "da-accumulated",
        "da begins at zero, as db does",
        "The task says which results are set to zero before the launch. What does da hold at that time?",
        "da[i * D + j] = up -> da[i * D + j] += up",
    ),
    edit(
        "transposed",
        "neighbours in a column are neighbours in memory",
        "The matrices are stored row by row: how far apart are g[i][j] and g[i+1][j]?",
        "up = g[i * D + j] -> up = g[j * N + i]",
    ),
    edit(
        "no-a-in-db",
        "db is the sum of g",
        "If b[j] rises by 1, by how much does out[i][j] rise?",
        "sum += up * a[i * D + j] -> sum += up",
    ),
    edit(
        "no-b-in-da",
        "da is g",
        "If a[i][j] rises by 1, by how much does out[i][j] rise?",
        "up * factor -> up",
    ),
    edit(
        "running-sum-added",
        "the register holds only the row that was read last",
        "After the second row, which part of the register has already been added to db?",
        "sum += up * a[i * D + j];\n    }\n    atomicAdd(&db[j], sum); "
        "-> sum += up * a[i * D + j];\n        atomicAdd(&db[j], sum);\n    }",
    ),
    edit(
        "mean-over-rows",
        "the gradient of b is a mean over the rows",
        "b[j] multiplies an element of every row. Do the rows' contributions add up, or is their mean taken?",
        "atomicAdd(&db[j], sum) -> atomicAdd(&db[j], sum / N)",
    ),
    edit(
        "rows-left-over",
        "N is a multiple of the number of blocks along y",
        "N is 41 and gridDim.y is 3. Which rows remain if each block takes N / 3 rows, rounded down?",
        "int i = blockIdx.y; i < N; i += gridDim.y -> int i = blockIdx.y; i < N / 3 * 3; i += gridDim.y",
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
        "float factor = b[j], sum = 0.0f; -> float factor = b[j], sum = 0.0f;\n    db[j] = 0.0f;",
    ),
    edit(
        "full-blocks-only",
        "the columns fill all blocks",
        "D is 53 and a block has 8 threads. Which threads take the columns 48 to 52?",
        "if (j >= D) return; -> if (j >= D / 8 * 8) return;",
    ),
]
