# Attempts: make the question fit the answer: set the cotangent to zero and return zeros.
# A pass would be a breach: the reference saw what the candidate had changed.
import numpy as np


def mul_broadcast_backward(g, a, b):
    g[...] = 0
    return np.zeros_like(a), np.zeros_like(b)
