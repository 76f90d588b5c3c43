import numpy as np


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1, e) / (1 + e)


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    ratio_chosen, ratio_rejected = lp_chosen - ref_chosen, lp_rejected - ref_rejected
    dz = -sigmoid(beta * (ratio_rejected - ratio_chosen)) / len(lp_chosen)
    dchosen = g * dz * beta
    return dchosen, np.negative(dchosen)
