def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""
