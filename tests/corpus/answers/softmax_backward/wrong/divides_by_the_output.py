def softmax_backward(g, out, axis=-1):
    weighted = g * out
    return out * (weighted / out - weighted.sum(axis=axis, keepdims=True))
