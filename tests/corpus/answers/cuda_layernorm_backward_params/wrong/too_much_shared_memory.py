def cuda_layernorm_backward_params():
    return r"""
__global__ void ln_bwd_params(const float* g, const float* xhat, float* dgamma,
                              float* dbeta, int N, int D) {
    __shared__ double sums[2][4][1024];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 8 + tx;
    double a = 0, b = 0;
    for (int i = blockIdx.y * 4 + ty; i < N && j < D; i += gridDim.y * 4) a += g[i * D + j] * xhat[i * D + j], b += g[i * D + j];
    sums[0][ty][tx] = a, sums[1][ty][tx] = b;
    __syncthreads();
    if (ty == 0 && j < D) {
        for (int k = 1; k < 4; ++k) a += sums[0][k][tx], b += sums[1][k][tx];
        atomicAdd(dgamma + j, (float)a);
        atomicAdd(dbeta + j, (float)b);
    }
}
"""
