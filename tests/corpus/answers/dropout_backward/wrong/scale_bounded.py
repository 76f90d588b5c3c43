def dropout_backward(g, mask, p):
    return g * mask / max(1 - p, 0.1)
