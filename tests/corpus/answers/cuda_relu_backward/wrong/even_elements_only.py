def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    for (; i < n; i += 2 * gridDim.x * blockDim.x) dx[i] = y[i] > 0 ? g[i] : 0.0f;
}
"""
