import math

import numpy as np


def s(t):
    return 1 / (1 + math.exp(-t)) if t >= 0 else math.exp(t) / (1 + math.exp(t))


def lstm_step_backward(gh, gc, x, h, c, W):
    N, D = x.shape
    H = h.shape[1]
    xh = np.hstack([x, h])
    z = xh @ W
    dz, dc = np.zeros_like(z), np.zeros_like(c)
    for n in range(N):
        for j in range(H):
            i, f, o, u = s(z[n, j]), s(z[n, H + j]), s(z[n, 2 * H + j]), math.tanh(z[n, 3 * H + j])
            t = math.tanh(f * c[n, j] + i * u)
            d = gc[n, j] + gh[n, j] * o * (1 - t * t)
            dz[n, j] = d * u * i * (1 - i)
            dz[n, H + j] = d * c[n, j] * f * (1 - f)
            dz[n, 2 * H + j] = gh[n, j] * t * o * (1 - o)
            dz[n, 3 * H + j] = d * i * (1 - u * u)
            dc[n, j] = d * f
    dxh = dz @ W.T
    return dxh[:, :D].copy(), dxh[:, D:].copy(), dc, xh.T @ dz
