def softmax_backward(g, out, axis=-1):
    g -= (g * out).sum(axis=axis, keepdims=True)
    return out * g
