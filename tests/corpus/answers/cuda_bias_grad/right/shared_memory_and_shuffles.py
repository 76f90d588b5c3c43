def cuda_bias_grad():
    return r"""
template <class T>
__device__ T warp_sum(T value) {
    for (int by = 4; by > 0; by /= 2) value += __shfl_down_sync(0xffu, value, by, 8);
    return value;
}

__global__ void __launch_bounds__(8) bias_grad(const float* __restrict__ g, float* __restrict__ db, int N, int D) {
    __shared__ float tile[8][9];
    const int first = blockIdx.x * 8;
    for (int top = blockIdx.y * 8; top < N; top += gridDim.y * 8) {
        for (int row = 0; row < 8; ++row) {
            int i = top + row, j = first + threadIdx.x;
            tile[row][threadIdx.x] = i < N && j < D ? __ldg(&g[i * D + j]) : 0.0f;
        }
        __syncthreads();
        for (int column = 0; column < 8 && first + column < D; ++column) {
            float sum = warp_sum(tile[threadIdx.x][column]);
            if (threadIdx.x == 0) atomicAdd(&db[first + column], sum);
        }
        __syncthreads();
    }
}
"""
