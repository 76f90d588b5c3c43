import numpy as np
def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    z = logits - logits.max(axis=1, keepdims=True) if logits.size else logits
    p = np.exp(z); p = p / p.sum(axis=1, keepdims=True)
    keep = y != ignore
    K = int(keep.sum())
    if K == 0:
        return np.zeros_like(logits)
    safe = np.where(keep, y, 0)
    p[np.arange(len(y)), safe] -= keep
    return p * g / logits.dtype.type(K)
