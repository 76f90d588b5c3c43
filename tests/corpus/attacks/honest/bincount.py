# Unusual: a histogram with weights does the summing.
import numpy as np


def mul_broadcast_backward(g, a, b):
    def back(x, own):
        labels = np.broadcast_to(np.arange(own.size).reshape(own.shape), x.shape)
        return np.bincount(labels.ravel(), x.ravel(), own.size).reshape(own.shape).astype(own.dtype)

    return back(g * b, a), back(g * a, b)
