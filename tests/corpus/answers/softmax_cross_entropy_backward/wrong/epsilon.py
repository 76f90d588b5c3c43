import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / (e.sum(axis=1, keepdims=True) + 1e-6)
    p[np.arange(len(y)), y] -= 1
    return g * p / len(y)
