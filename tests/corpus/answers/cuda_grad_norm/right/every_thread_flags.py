def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
    float s = 0.f;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 96) s = fmaf(g[i], g[i], s);
    bool bad = false;
    for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 96) bad |= isnan(g[i]) || isinf(g[i]);
    for (int k = 1; k < 32; k *= 2) s += __shfl_xor_sync(0xffffffff, s, k);
    if (__any_sync(0xffffffff, bad) && threadIdx.x == 0) atomicExch(nonfinite, 1);
    if (threadIdx.x == 31) partial[blockIdx.x] = s;
}
"""
