def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
    __shared__ float s[32];
    int tid = threadIdx.x;
    float acc = 0.0f;
    for (int k = blockIdx.x * 32 + tid; k < n; k += 96) {
        if (isinf(g[k]) || isnan(g[k])) nonfinite[0] = 1;
        acc += g[k] * g[k];
    }
    s[tid] = acc;
    __syncthreads();
    for (int h = 16; h > 0; h /= 2) {
        if (tid < h) s[tid] += s[tid + h];
        __syncthreads();
    }
    partial[blockIdx.x] = s[0];
}
"""
