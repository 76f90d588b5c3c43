def softmax_backward(g, out, axis=-1):
    return out * (g - (g * out).sum(axis=axis))
