def dropout_backward(g, mask, p):
    return g * mask / max(mask.mean(), 1e-12).astype(g.dtype) if mask.any() else g * 0
