import numpy as np


def infonce_backward(g, q, k, T):
    """A query moves from the average key towards its own key. A key moves away from each query by p, and to its own."""
    scale = g / (len(q) * T)
    dq, dk = np.zeros_like(q), np.zeros_like(k)
    for i, query in enumerate(q):
        logits = (k * query).sum(axis=1) / T
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        weights[i] -= 1
        dq[i] = weights @ k
        dk += np.outer(weights, query)
    return scale * dq, scale * dk
