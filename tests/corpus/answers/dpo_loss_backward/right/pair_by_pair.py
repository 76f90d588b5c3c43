import math

import numpy as np


def softplus(z):
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    chosen = []
    for a, b, c, d in np.stack([lp_chosen, lp_rejected, ref_chosen, ref_rejected], axis=1).astype(float).tolist():
        z = beta * ((a - c) - (b - d))
        chosen.append(-math.exp(-softplus(z)) * beta * float(g) / len(lp_chosen))
    dchosen = np.array(chosen, dtype=lp_chosen.dtype)
    return dchosen, -dchosen
