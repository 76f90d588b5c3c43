def dropout_backward(g, mask, p):
    keep = 1.0 - p
    dx = g.copy()
    dx[~mask] = 0
    dx *= 1 / keep
    return dx
