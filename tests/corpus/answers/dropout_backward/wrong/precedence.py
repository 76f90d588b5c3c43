def dropout_backward(g, mask, p):
    return g * mask / 1 - p
