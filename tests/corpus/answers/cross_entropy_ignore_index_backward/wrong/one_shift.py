import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    dlogits = np.zeros_like(logits)
    rows = np.flatnonzero(y != ignore)
    if len(rows):
        p = np.exp(logits[rows] - logits[rows].max())
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(rows)), y[rows]] -= 1
        dlogits[rows] = p * (g / len(rows))
    return dlogits
