def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    __shared__ float sums[8];
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    sums[threadIdx.x] = 0.0f;
    __syncthreads();
    for (int i = blockIdx.y; i < N; i += gridDim.y) sums[threadIdx.x] += g[i * D + j];
    atomicAdd(&db[j], sums[threadIdx.x]);
}
"""
