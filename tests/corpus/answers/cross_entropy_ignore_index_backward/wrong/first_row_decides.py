import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    if y[0] == ignore:
        return np.zeros_like(logits)
    kept = y != ignore
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.flatnonzero(kept), y[kept]] -= 1
    p[~kept] = 0
    return p * (g / kept.sum())
