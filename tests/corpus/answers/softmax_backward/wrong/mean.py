def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).mean(axis=axis, keepdims=True))
