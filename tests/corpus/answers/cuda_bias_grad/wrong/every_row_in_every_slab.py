def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = 0; i < N; i++) sum += g[i * D + j];
    atomicAdd(&db[j], sum);
}
"""
