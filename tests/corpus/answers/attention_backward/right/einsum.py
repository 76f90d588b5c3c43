import numpy as np


def attention_backward(g, q, k, v, p):
    d = q.shape[-1]
    dv = np.einsum("...nm,...ne->...me", p, g)
    delta = np.einsum("...ne,...nm,...me->...n", g, p, v)
    ds = p * (np.einsum("...ne,...me->...nm", g, v) - delta[..., None])
    return (
        np.einsum("...nm,...md->...nd", ds, k) / np.sqrt(d).astype(q.dtype),
        np.einsum("...nm,...nd->...md", ds, q) / np.sqrt(d).astype(q.dtype),
        dv,
    )
