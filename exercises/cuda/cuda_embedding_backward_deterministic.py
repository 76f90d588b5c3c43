# /// autodrill
# title = "Embedding backward without atomics"
# kind = "kernel"
# difficulty = "hard"
# minutes = 30
# topics = ["cuda", "indexing"]
# requires = ["cuda_embedding_backward"]
# ///
"""An embedding looked up rows of a table `W` with D columns: `out[t] = W[ids[t]]`. `g` is
dL/dout. Atomic additions give slightly different gradients in every run. To avoid them,
the token ids were sorted first, with a stable sort. The result is S segments, one for
each token that occurs:

- `order` lists the positions t in sorted order of `ids[t]`;
- segment s consists of `order[start[s]]` to `order[start[s + 1] - 1]`, and `start` has
  S + 1 elements;
- `row[s]` is the token of segment s, which is also the number of a row of the table.

For example, ids 7, 3, 7 give the order 1, 0, 2, the starts 0, 1, 3 and the rows 3, 7.
Write the kernel that stores the gradient of the table in `dW`, which the caller sets to
zero before the launch. Rows that do not occur stay 0. Add the rows of `g` that belong
to a segment in the order of `order`. You need no atomics, and grading does not look for
them. Do not replace NaN in `g`.

There is one block of 8 threads for each segment. D may be larger than 8. `g` and `dW`
are stored row by row.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_embedding_backward_deterministic():
    return r"""
__global__ void emb_bwd_det(const float* g, const int* order, const int* start,
                            const int* row, float* dW, int S, int D) {
}
"""
