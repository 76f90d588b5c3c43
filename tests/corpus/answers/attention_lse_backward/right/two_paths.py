import math

import numpy as np


def attention_lse_backward(g, glse, q, k, v, out, lse):
    """The two outputs one after the other, each with its own softmax. Nothing that was saved is used."""
    c = 1 / math.sqrt(q.shape[1])
    s = c * np.einsum("nd,md->nm", q, k)
    s -= s.max(axis=1, keepdims=True)
    p = np.exp(s)
    p /= p.sum(axis=1, keepdims=True)
    dp = np.einsum("ne,me->nm", g, v)
    through_out = p * dp - p * np.einsum("nm,nm->n", p, dp)[:, None]
    through_lse = np.einsum("n,nm->nm", glse, p)
    ds = c * (through_out + through_lse)
    return np.einsum("nm,md->nd", ds, k), np.einsum("nm,nd->md", ds, q), np.einsum("nm,ne->me", p, g)
