import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    """FlashAttention-2 style, accumulating in float64 per tile."""
    dt = q.dtype
    N, d = q.shape
    M, e = v.shape
    dq, dk, dv = np.zeros((N, d)), np.zeros((M, d)), np.zeros((M, e))
    D = (g.astype(float) * out).sum(1)
    for cs in range(0, M, bk):
        ce = min(M, cs + bk)
        Kj, Vj = k[cs:ce].astype(float), v[cs:ce].astype(float)
        for rs in range(0, N, bq):
            re_ = min(N, rs + bq)
            Qi, Gi = q[rs:re_].astype(float), g[rs:re_].astype(float)
            S = Qi @ Kj.T / np.sqrt(d)
            P = np.exp(S - lse[rs:re_, None])
            if causal:
                P *= np.tri(re_ - rs, ce - cs, k=rs - cs)
            dv[cs:ce] += P.T @ Gi
            dS = P * (Gi @ Vj.T - D[rs:re_, None]) / np.sqrt(d)
            dq[rs:re_] += dS @ Kj
            dk[cs:ce] += dS.T @ Qi
    return dq.astype(dt), dk.astype(dt), dv.astype(dt)
