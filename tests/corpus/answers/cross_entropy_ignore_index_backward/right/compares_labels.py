import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    z = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(z - np.log(np.exp(z).sum(axis=1, keepdims=True)))
    one_hot = y[:, None] == np.arange(logits.shape[1])
    counts = (y != ignore)[:, None]
    return np.where(counts, (p - one_hot) * g / max(counts.sum(), 1), 0).astype(logits.dtype)
