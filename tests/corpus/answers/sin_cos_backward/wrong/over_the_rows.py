import numpy as np


def sin_cos_backward(gs, gc, x):
    dx = np.zeros_like(x)
    for i in range(len(x)):
        dx[i] = gs[i] * np.cos(x[i]) - gc[i] * np.sin(x[i])
    return dx
