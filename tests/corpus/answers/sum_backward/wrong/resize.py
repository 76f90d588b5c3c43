import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.resize(g, x_shape)
