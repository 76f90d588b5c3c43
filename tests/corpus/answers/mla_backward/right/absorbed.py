import numpy as np


def mla_backward(g, x, qn, qr, Wd, Wr, Uk, Uv):
    # The keys and values of the heads are never made: queries and outputs move into the latent space.
    c, kr = x @ Wd, x @ Wr
    root = (qn.shape[-1] + qr.shape[-1]) ** 0.5
    dx, dc, dkr = np.zeros_like(x), np.zeros_like(c), np.zeros_like(kr)
    dUk, dUv = np.zeros_like(Uk), np.zeros_like(Uv)
    for h in range(len(qn)):
        latent_query = qn[h] @ Uk[h].T
        s = (latent_query @ c.T + qr[h] @ kr.T) / root
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        latent_out = p @ c
        dlatent_out = g[h] @ Uv[h].T
        dp = dlatent_out @ c.T
        ds = p * (dp - (dp * p).sum(axis=1, keepdims=True)) / root
        dc += ds.T @ latent_query + p.T @ dlatent_out
        dkr += ds.T @ qr[h]
        dUk[h] = (ds @ c).T @ qn[h]
        dUv[h] = latent_out.T @ g[h]
    dx += dc @ Wd.T + dkr @ Wr.T
    return dx, x.T @ dc, x.T @ dkr, dUk, dUv
