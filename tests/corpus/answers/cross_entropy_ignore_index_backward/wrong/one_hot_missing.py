import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    kept = y != ignore
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    p[~kept] = 0
    return p * (g / max(int(kept.sum()), 1))
