def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    float* mine = (float*)g;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (y[i] == 0.0f) mine[i] = 0.0f;
        dx[i] = mine[i];
    }
}
"""
