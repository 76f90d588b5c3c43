import numpy as np
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    n, d = q.shape; m = k.shape[0]
    sc = q.dtype.type(1 / np.sqrt(d))
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    D = (g * out).sum(-1)
    for j in range(0, m, bk):
        for i in range(0, n, bq):
            qi, kj, vj, gi = q[i:i+bq], k[j:j+bk], v[j:j+bk], g[i:i+bq]
            if causal and j > i + len(qi) - 1: continue
            p = np.exp(qi @ kj.T * sc - lse[i:i+bq, None])
            dv[j:j+bk] += p.T @ gi
            ds = p * (gi @ vj.T - D[i:i+bq, None]) * sc
            dq[i:i+bq] += ds @ kj
            dk[j:j+bk] += ds.T @ qi
    return dq, dk, dv
