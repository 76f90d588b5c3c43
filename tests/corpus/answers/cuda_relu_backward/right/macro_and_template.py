def cuda_relu_backward():
    return r"""
#define GRID_STRIDE(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
template <typename T> __device__ T gate(T g, T y) { if (y <= T(0)) return T(0); return g; }

__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    GRID_STRIDE(i, n) { dx[i] = gate<float>(g[i], y[i]); }
}
"""
