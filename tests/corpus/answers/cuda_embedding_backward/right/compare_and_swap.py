def cuda_embedding_backward():
    return r"""
__device__ void add(float* place, float value) {
    int* bits = (int*)place;
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) + value));
    } while (old != assumed);
}

__global__ void emb_bwd(const float* g, const int* ids, float* dW, int T, int D) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < T * D; k += gridDim.x * blockDim.x)
        add(dW + ids[k / D] * D + k % D, g[k]);
}
"""
