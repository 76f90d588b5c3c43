import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    pi = lp_chosen - lp_rejected
    ref = ref_chosen - ref_rejected
    z = beta * (pi - ref)
    s = np.exp(np.minimum(-z, 0)) / (1 + np.exp(-np.abs(z)))
    dz = -(s / z.size) * g
    return beta * dz, -beta * dz
