def cuda_relu_backward():
    return r"""
/* float* dx comes last but one */
__device__ float gate(float g, float y) { return y > 0 ? g : 0.0f; }

extern "C" __global__ void relu_bwd(const float *g, const float *y, float *dx, int n)
{
    int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {  // the tail too
        dx[i] = gate(g[i], y[i]);
        i += stride;
    }
}
"""
