def softmax_backward(g, out, axis=-1):
    axis = out.ndim - 1 if axis < 0 else axis
    return out * (g - (g * out).sum(axis=axis, keepdims=True))
