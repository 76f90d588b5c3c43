import numpy as np


def rmsnorm_backward(g, x, rrms, gamma):
    D = x.shape[-1]
    dh = g * gamma
    direct = rrms * dh
    drrms = np.sum(dh * x, axis=-1, keepdims=True)
    through_rms = -(rrms**3) * drrms * x / D
    return direct + through_rms, np.sum(g * x * rrms, axis=tuple(range(x.ndim - 1)))
