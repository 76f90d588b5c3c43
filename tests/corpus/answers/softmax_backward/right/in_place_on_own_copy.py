import numpy as np


def softmax_backward(g, out, axis=-1):
    dx = np.array(g)
    dx -= np.sum(np.multiply(g, out), axis=axis, keepdims=True)
    dx *= out
    return dx
