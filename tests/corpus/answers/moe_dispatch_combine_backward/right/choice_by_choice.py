import numpy as np


def moe_dispatch_combine_backward(g, x, w, We, idx, capacity):
    free = [capacity] * len(We)
    dx, dw, dWe = np.zeros_like(x), np.zeros_like(w), np.zeros_like(We)
    for n in range(idx.shape[0]):
        for j in range(idx.shape[1]):
            i = idx[n, j]
            if free[i] == 0:
                continue
            free[i] -= 1
            back = We[i] @ g[n]
            dx[n] += w[n, j] * back
            dw[n, j] = x[n] @ back
            dWe[i] += w[n, j] * np.outer(x[n], g[n])
    return dx, dw, dWe
