def cuda_cumsum_backward():
    return r"""
__global__ void rev_scan(const float* g, float* dx, int n) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    if (t < n) s[t] = g[t];
    for (int d = 1; d < n; d <<= 1) {
        __syncthreads();
        float v = t + d < n ? s[t + d] : 0.f;
        __syncthreads();
        if (t + d < n) s[t] += v;
    }
    if (t < n) dx[t] = s[t];
}
"""
