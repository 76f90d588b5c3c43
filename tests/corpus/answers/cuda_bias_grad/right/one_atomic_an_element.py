def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = blockIdx.y; i < N && j < D; i += gridDim.y) atomicAdd(db + j, g[i * D + j]);
}
"""
