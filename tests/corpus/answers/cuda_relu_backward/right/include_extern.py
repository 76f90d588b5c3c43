def cuda_relu_backward():
    """The kernel's text."""
    return r"""
#include <cuda_runtime.h>

extern "C" __global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    const unsigned int step = gridDim.x * blockDim.x;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < (unsigned int)n; i += step)
        dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""
