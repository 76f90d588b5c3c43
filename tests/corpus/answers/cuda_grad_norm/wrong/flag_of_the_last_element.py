def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (; k < n; k += 96) {
        nonfinite[0] = !isfinite(g[k]);
        sum += g[k] * g[k];
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
"""
