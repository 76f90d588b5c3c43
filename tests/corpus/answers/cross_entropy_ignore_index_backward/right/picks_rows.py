import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    dlogits = np.zeros_like(logits)
    (rows,) = np.nonzero(y != ignore)
    if rows.size == 0:
        return dlogits
    grad = softmax(logits[rows])
    grad[range(rows.size), y[rows]] -= 1
    grad *= g / rows.size
    dlogits[rows] = grad
    return dlogits
