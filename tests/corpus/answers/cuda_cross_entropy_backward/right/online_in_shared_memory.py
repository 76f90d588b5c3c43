def cuda_cross_entropy_backward():
    return r"""
__global__ void ce_bwd(float g, const float* z, const int* y, float* dz, int N, int C) {
    __shared__ float most[32], sums[32];
    int t = threadIdx.x;
    const float* row = z + blockIdx.x * C;
    float m = -INFINITY, s = 0.0f;
    for (int j = t; j < C; j += blockDim.x) {
        float higher = fmaxf(m, row[j]);
        s = s * expf(m - higher) + expf(row[j] - higher);
        m = higher;
    }
    most[t] = m, sums[t] = s;
    __syncthreads();
    m = most[0], s = sums[0];
    for (int k = 1; k < min(C, 32); ++k) {
        float higher = fmaxf(m, most[k]);
        s = s * expf(m - higher) + sums[k] * expf(most[k] - higher);
        m = higher;
    }
    for (int j = t; j < C; j += blockDim.x)
        dz[blockIdx.x * C + j] = g / N * (expf(row[j] - m) / s - (j == y[blockIdx.x]));
}
"""
