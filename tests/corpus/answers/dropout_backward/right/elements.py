import numpy as np


def dropout_backward(g, mask, p):
    pairs = zip(g.ravel().tolist(), mask.ravel().tolist())
    flat = [upstream / (1 - p) if stays else 0.0 for upstream, stays in pairs]
    return np.array(flat, g.dtype).reshape(g.shape)
