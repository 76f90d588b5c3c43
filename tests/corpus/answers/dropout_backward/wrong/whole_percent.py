def dropout_backward(g, mask, p):
    percent = 100 - int(p * 100)
    return g * mask / (percent / 100)
