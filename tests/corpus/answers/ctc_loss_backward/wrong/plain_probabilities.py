# sums the paths with plain probabilities, which underflow to 0/0 for long inputs or for logits that are far apart
import numpy as np


def ctc_loss_backward(g, logits, y):
    T, V = logits.shape
    z = logits.astype(np.float64)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)

    S = 2 * len(y) + 1
    ext = np.zeros(S, dtype=np.int64)
    ext[1::2] = y

    a = np.zeros((T, S))
    a[0, :2] = p[0, ext[:2]]
    for t in range(1, T):
        for s in range(S):
            acc = a[t - 1, s]
            if s > 0:
                acc += a[t - 1, s - 1]
            if s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]:
                acc += a[t - 1, s - 2]
            a[t, s] = acc * p[t, ext[s]]

    b = np.zeros((T, S))
    b[-1, -2:] = 1.0
    for t in range(T - 1, 0, -1):
        for s in range(S):
            w = b[t, s] * p[t, ext[s]]
            b[t - 1, s] += w
            if s > 0:
                b[t - 1, s - 1] += w
            if s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]:
                b[t - 1, s - 2] += w

    total = a[-1, -2:].sum()
    occ = np.zeros((T, V))
    np.add.at(occ.T, ext, (a * b / total).T)
    return (g * (p - occ)).astype(logits.dtype)
