import numpy as np


def ppo_clip_backward(g, logp, logp_old, adv, eps):
    """Differentiate token by token: a token is dead if it has moved too far in the direction of its advantage."""
    ratio = np.exp(logp - logp_old)
    too_high = (ratio > 1 + eps) & (adv > 0)
    too_low = (ratio < 1 - eps) & (adv < 0)
    dratio = -adv * g / adv.size
    dratio[too_high | too_low] = 0
    return dratio * ratio
