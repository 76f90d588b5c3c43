import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    """As PyTorch writes it, into the tensors it was given."""
    p *= 1 - lr * wd
    m += (g - m) * (1 - b1)
    v *= b2
    v += (1 - b2) * g * g
    step_size = lr / (1 - b1**t)
    denom = np.sqrt(v) / np.sqrt(1 - b2**t) + eps
    p -= step_size * m / denom
    return p, m, v
