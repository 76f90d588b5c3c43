import numpy as np

LOG2_E = 1.4426950408889634


def tiles(length, width):
    return [slice(start, min(start + width, length)) for start in range(0, length, width)]


class Accumulators:
    def __init__(self, q, k, v):
        self.q, self.k, self.v = (np.zeros(a.shape, a.dtype) for a in (q, k, v))

    def results(self):
        return self.q, self.k, self.v


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    d = Accumulators(q, k, v)
    scaled = q * q.shape[1] ** -0.5
    row = (out * g).sum(-1)
    for keys in tiles(len(k), bk):
        for rows in tiles(len(q), bq):
            p = np.exp2((scaled[rows] @ k[keys].T - lse[rows][:, None]) * LOG2_E)
            if causal:
                p = np.tril(p, rows.start - keys.start)
            ds = p * (g[rows] @ v[keys].T - row[rows][:, None])
            d.v[keys] += p.T @ g[rows]
            d.k[keys] += ds.T @ scaled[rows]
            d.q[rows] += ds @ k[keys] * q.shape[1] ** -0.5
    return d.results()
