# Attempts: return empty arrays, in which no element is wrong.
# A pass would be a breach: the shape was not compared.
import numpy as np


def mul_broadcast_backward(g, a, b):
    return np.zeros((0, *a.shape)), np.zeros((0, *b.shape))
