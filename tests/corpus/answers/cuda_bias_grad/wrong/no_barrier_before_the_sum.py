def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    __shared__ float sums[8];
    for (int j = blockIdx.x * 8; j < min(D, (int)blockIdx.x * 8 + 8); j++) {
        float sum = 0.0f;
        for (int i = blockIdx.y * 8 + threadIdx.x; i < N; i += gridDim.y * 8) sum += g[i * D + j];
        sums[threadIdx.x] = sum;
        if (threadIdx.x == 0) {
            float total = 0.0f;
            for (int t = 0; t < 8; t++) total += sums[t];
            atomicAdd(&db[j], total);
        }
        __syncthreads();
    }
}
"""
