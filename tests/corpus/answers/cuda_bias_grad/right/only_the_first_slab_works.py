def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.y > 0 || j >= D) return;
    for (int i = 0; i < N; i++) db[j] += g[i * D + j];
}
"""
