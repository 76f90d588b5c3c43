def attention_backward(g, q, k, v, p):
    def t(a):
        return a.T if a.ndim == 2 else a.transpose(0, 2, 1)

    dp = g @ t(v)
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    return ds @ k, t(ds) @ q, t(p) @ g
