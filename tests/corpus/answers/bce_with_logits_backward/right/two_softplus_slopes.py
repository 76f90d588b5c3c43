import numpy as np


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def bce_with_logits_backward(g, x, t, pos_weight=1.0):
    positive = pos_weight * t * -sigmoid(-x)
    negative = (1 - t) * sigmoid(x)
    return (positive + negative) * (g / x.size)
