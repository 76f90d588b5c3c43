def softmax_backward(g, out, axis=-1):
    return out * g - (out * g).sum(axis=axis, keepdims=True)
