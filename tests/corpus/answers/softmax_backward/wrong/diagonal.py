def softmax_backward(g, out, axis=-1):
    return g * out * (1 - out)
