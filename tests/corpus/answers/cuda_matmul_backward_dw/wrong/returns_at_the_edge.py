def cuda_matmul_backward_dw():
    return r"""
__global__ void matmul_dw(const float* X, const float* G, float* dW,
                          int N, int D, int E) {
    __shared__ float a[8][8], b[8][8];
    int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
    if (c >= E) return;
    float s = 0.f;
    for (int n0 = 0; n0 < N; n0 += 8) {
        int n = n0 + threadIdx.y, q = blockIdx.y * 8 + threadIdx.x;
        a[threadIdx.y][threadIdx.x] = n < N && q < D ? X[n * D + q] : 0.f;
        b[threadIdx.y][threadIdx.x] = n < N ? G[n * E + c] : 0.f;
        __syncthreads();
        for (int k = 0; k < 8; ++k) s += a[k][threadIdx.y] * b[k][threadIdx.x];
        __syncthreads();
    }
    if (r < D) dW[r * E + c] = s;
}
"""
