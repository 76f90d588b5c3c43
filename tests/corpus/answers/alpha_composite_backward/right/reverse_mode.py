import numpy as np


def alpha_composite_backward(g, alpha, color):
    """Reverse mode of the loop over the samples, with its two variables: the light left and the sum so far."""
    n = alpha.shape[0]
    light = np.empty(n, dtype=alpha.dtype)
    left = alpha.dtype.type(1)
    for i in range(n):
        light[i] = left
        left = left * (1 - alpha[i])
    dalpha = np.zeros(n, dtype=alpha.dtype)
    dcolor = np.zeros(color.shape, dtype=color.dtype)
    dleft = 0.0
    for i in range(n - 1, -1, -1):
        toward = np.dot(g, color[i])
        dcolor[i] = light[i] * alpha[i] * g
        dalpha[i] = light[i] * toward - light[i] * dleft
        dleft = alpha[i] * toward + (1 - alpha[i]) * dleft
    return dalpha, dcolor
