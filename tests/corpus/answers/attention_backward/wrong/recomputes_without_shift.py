import numpy as np


def attention_backward(g, q, k, v, p):
    scale = 1 / np.sqrt(q.shape[-1])
    e = np.exp(scale * (q @ k.mT))
    p = e / e.sum(axis=-1, keepdims=True)
    dp = g @ v.mT
    ds = scale * p * (dp - np.sum(p * dp, axis=-1, keepdims=True))
    return (ds @ k).astype(q.dtype), (ds.mT @ q).astype(k.dtype), (p.mT @ g).astype(v.dtype)
