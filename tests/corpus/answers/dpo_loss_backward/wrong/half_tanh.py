import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    push = (1 - np.tanh(z / 2)) / 2 * (g * beta / len(z))
    return -push, push
