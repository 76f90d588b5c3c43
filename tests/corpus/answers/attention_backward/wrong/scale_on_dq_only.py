def attention_backward(g, q, k, v, p):
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))
    return ds @ k / q.shape[-1] ** 0.5, ds.mT @ q, p.mT @ g
