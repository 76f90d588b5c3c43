import numpy as np


def mae_backward(g, pred, target):
    above, below = pred > target, pred < target
    dpred = np.zeros_like(pred)
    dpred[above] += g / pred.size
    dpred[below] -= g / pred.size
    return dpred
