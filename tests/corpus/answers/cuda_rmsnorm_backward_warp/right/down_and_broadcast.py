def cuda_rmsnorm_backward_warp():
    return r"""
__device__ float warp_total(float value) {
    for (int by = 16; by; by >>= 1) value += __shfl_down_sync(~0u, value, by);
    return __shfl_sync(~0u, value, 0);
}

__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma, const float* rho,
                            float* dx, int N, int D) {
    const int warps = blockDim.x >> 5, lane = threadIdx.x & 31;
    const int row = blockIdx.x * warps + (threadIdx.x >> 5);
    const bool mine = row < N;
    const float scale = mine ? rho[row] : 0.0f;
    float dot = 0.0f;
    for (int j = lane; mine && j < D; j += warpSize) {
        const size_t at = (size_t)row * D + j;
        dot = fmaf(g[at] * gamma[j], x[at] * scale, dot);
    }
    const float mean = warp_total(dot) / D;
    for (int j = lane; mine && j < D; j += warpSize) {
        const size_t at = (size_t)row * D + j;
        dx[at] = scale * (g[at] * gamma[j] - x[at] * scale * mean);
    }
}
"""
