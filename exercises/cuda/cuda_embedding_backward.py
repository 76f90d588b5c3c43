# /// autodrill
# title = "Embedding backward as a CUDA kernel"
# kind = "kernel"
# difficulty = "medium"
# minutes = 15
# topics = ["cuda", "indexing"]
# requires = ["cuda_bias_grad"]
# ///
"""An embedding looked up rows of a table `W` with D columns: `out[t] = W[ids[t]]` for T
tokens. `g` is dL/dout, of T rows and D columns. `g` and `dW` are stored row by row, and
`dW` has the shape of `W`. Write the kernel that adds the gradient of the table to `dW`.
The caller sets `dW` to zero before the launch. Do not replace NaN in `g`.

A token may occur many times, and some rows of the table do not occur at all. A block
has 16 threads, and there are as many blocks as the T·D elements of `g` need.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_embedding_backward():
    return r"""
__global__ void emb_bwd(const float* g, const int* ids, float* dW, int T, int D) {
}
"""
