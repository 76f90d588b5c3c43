import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    """p_j = 1 / sum_k exp(z_k - z_j), no shift of the maximum at all."""
    with np.errstate(over="ignore"):
        p = np.stack([1 / np.exp(logits - logits[:, [j]]).sum(axis=1) for j in range(logits.shape[1])], axis=1)
    p[range(len(y)), y] -= 1
    p *= g / len(y)
    return p.astype(logits.dtype)
