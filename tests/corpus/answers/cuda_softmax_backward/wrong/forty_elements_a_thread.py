def cuda_softmax_backward():
    return r"""
__global__ void softmax_bwd(const float* g, const float* p, float* dx, int D) {
    extern __shared__ float sums[];
    float mine[40];
    int t = threadIdx.x, threads = blockDim.x, row = blockIdx.x * D, n = 0;
    float sum = 0.0f;
    for (int j = t; j < D && n < 40; j += threads) {
        mine[n] = g[row + j];
        sum += mine[n++] * p[row + j];
    }
    sums[t] = sum;
    __syncthreads();
    for (int half = threads / 2; half >= 1; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    for (int k = 0; k < n; k++) {
        int j = t + k * threads;
        dx[row + j] = p[row + j] * (mine[k] - sums[0]);
    }
}
"""
