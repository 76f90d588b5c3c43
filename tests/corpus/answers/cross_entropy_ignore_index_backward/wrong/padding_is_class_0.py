import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    labels = np.where(y == ignore, 0, y)
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), labels] -= 1
    return p * (g / max(int((y != ignore).sum()), 1))
