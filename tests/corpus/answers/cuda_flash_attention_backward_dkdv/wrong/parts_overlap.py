def cuda_flash_attention_backward_dkdv():
    return r"""
__global__ void fa_dkdv(const float* q, const float* k, const float* v,
                        const float* g, const float* lse, const float* D,
                        float* dk, float* dv, int n, int m, int d) {
    extern __shared__ float parts[];
    int t = threadIdx.x, j = blockIdx.x * d;
    float *pk = parts + t * d, *pv = parts + (7 + t) * d, r = rsqrtf(d);
    for (int c = 0; c < d; ++c) pk[c] = pv[c] = 0.0f;
    for (int i = t; i < n; i += 8) {
        float qk = 0.0f, gv = 0.0f;
        for (int c = 0; c < d; ++c) qk += q[i * d + c] * k[j + c], gv += g[i * d + c] * v[j + c];
        float p = expf(r * qk - lse[i]), ds = p * (gv - D[i]);
        for (int c = 0; c < d; ++c) pk[c] += r * ds * q[i * d + c], pv[c] += p * g[i * d + c];
    }
    __syncthreads();
    for (int c = t; c < d; c += 8) {
        float sk = 0.0f, sv = 0.0f;
        for (int u = 0; u < 8; ++u) sk += parts[u * d + c], sv += parts[(7 + u) * d + c];
        dk[j + c] = sk;
        dv[j + c] = sv;
    }
}
"""
