def attention_backward(g, q, k, v, p):
    scale = q.shape[-1] ** -0.5
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) * scale
    return ds @ k, ds.mT @ q, p.mT @ g * scale
