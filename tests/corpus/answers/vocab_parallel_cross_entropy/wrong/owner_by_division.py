# finds the rank of a label by y // rows, which is right only if all ranks hold the same number of rows
import numpy as np


def vocab_parallel_cross_entropy(h, W_rank, y, offset, all_reduce):
    N = len(h)
    rows = W_rank.shape[0]
    rank = offset // rows
    owned = np.flatnonzero(y // rows == rank)
    col = y[owned] % rows
    z = np.einsum("nd,vd->nv", h, W_rank)
    z = z - all_reduce(z.max(1), "max")[:, None]
    t = np.zeros(N, dtype=z.dtype)
    t[owned] = z[owned, col]
    ez = np.exp(z)
    s, t = all_reduce(np.array([ez.sum(1), t]), "sum")
    p = ez / s[:, None]
    p[owned, col] -= 1.0
    p = p / N
    dh = all_reduce(p @ W_rank, "sum")
    return np.mean(np.log(s) - t), dh, p.T @ h
