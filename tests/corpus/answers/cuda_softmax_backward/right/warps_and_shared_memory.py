def cuda_softmax_backward():
    return r"""
#include <cuda_runtime.h>

// Shuffles within a warp, then one shared float a warp. A block may be smaller than a warp.
__device__ float block_sum(float value, float* parts) {
    int t = threadIdx.x, warps = (blockDim.x + 31) / 32;
    unsigned mask = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
    for (int by = min(blockDim.x, 32u) / 2; by > 0; by >>= 1)
        value += __shfl_down_sync(mask, value, by);
    if (t % 32 == 0) parts[t / 32] = value;
    __syncthreads();
    float total = 0.0f;
    for (int w = 0; w < warps; ++w) total += parts[w];
    return total;
}

__global__ void softmax_bwd(const float* __restrict__ g, const float* __restrict__ p, float* __restrict__ dx, int D) {
    extern __shared__ float sums[];
    size_t row = (size_t)blockIdx.x * D;
    float own = 0.0f;
    for (int j = threadIdx.x; j < D; j += blockDim.x) own = fmaf(g[row + j], p[row + j], own);
    float s = block_sum(own, sums);
    for (int j = threadIdx.x; j < D; j += blockDim.x) dx[row + j] = p[row + j] * (g[row + j] - s);
}
"""
