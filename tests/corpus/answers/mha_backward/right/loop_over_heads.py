import numpy as np


def mha_backward(g, x, Wq, Wk, Wv, Wo, H):
    d = Wq.shape[1] // H
    dx, dWq, dWk, dWv, dWo = (np.zeros_like(a) for a in (x, Wq, Wk, Wv, Wo))
    for i in range(len(x)):
        for h in range(H):
            own = slice(h * d, (h + 1) * d)
            q, k, v = x[i] @ Wq[:, own], x[i] @ Wk[:, own], x[i] @ Wv[:, own]
            s = (q @ k.T) * d**-0.5
            p = np.exp(s - s.max(axis=1, keepdims=True))
            p = p / p.sum(axis=1, keepdims=True)
            out = p @ v
            dout = g[i] @ Wo[own].T
            ds = p * (dout @ v.T - (dout * out).sum(axis=1, keepdims=True)) * d**-0.5
            dq, dk, dv = ds @ k, ds.T @ q, p.T @ dout
            dx[i] += dq @ Wq[:, own].T + dk @ Wk[:, own].T + dv @ Wv[:, own].T
            dWq[:, own] += x[i].T @ dq
            dWk[:, own] += x[i].T @ dk
            dWv[:, own] += x[i].T @ dv
            dWo[own] += out.T @ g[i]
    return dx, dWq, dWk, dWv, dWo
