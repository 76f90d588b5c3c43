import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_rejected) - (lp_rejected - ref_chosen))
    push = np.exp(-np.logaddexp(0, z)) * (g * beta / len(z))
    return -push, push
