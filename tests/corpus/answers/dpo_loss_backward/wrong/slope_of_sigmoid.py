import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    s = np.exp(-np.logaddexp(0, z))
    push = s * (1 - s) * (g * beta / len(z))
    return -push, push
