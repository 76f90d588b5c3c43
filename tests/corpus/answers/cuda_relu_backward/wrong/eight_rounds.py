def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 8; round++) {
        int i = first + round * 32;
        if (i < n) dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
    }
}
"""
