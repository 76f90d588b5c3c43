import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    policy = np.subtract(lp_chosen, lp_rejected)
    reference = np.subtract(ref_chosen, ref_rejected)
    with np.errstate(over="ignore"):
        wrong = 1 / (1 + np.exp(beta * (policy - reference)))
    wrong *= beta
    wrong *= g / wrong.size
    return -wrong, wrong
