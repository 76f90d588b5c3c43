import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    """The one-hot rows are taken from an identity matrix."""
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return (g * (p - np.eye(logits.shape[1])[y]) / len(y)).astype(logits.dtype)
