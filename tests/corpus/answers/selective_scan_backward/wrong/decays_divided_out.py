import numpy as np


def selective_scan_backward(g, x, dt, A, B, C, D):
    # Cumulative sums over a cumulative product that is divided out: NaN as soon as it leaves the range.
    kind = x.dtype
    g, x, dt, A, B, C = (v.astype(np.longdouble) for v in (g, x, dt, A, B, C))
    s = np.cumsum(dt, axis=0)[:, :, None] * A
    P = np.exp(s)
    b = (dt * x)[:, :, None] * B[:, None, :]
    h = P * np.cumsum(b / P, axis=0)
    c = g[:, :, None] * C[:, None, :]
    dh = np.cumsum((c * P)[::-1], axis=0)[::-1] / P
    dC = (g[:, :, None] * h).sum(axis=1)
    dB = (dh * (dt * x)[:, :, None]).sum(axis=1)
    du = (dh * B[:, None, :]).sum(axis=2)
    prev = np.concatenate([np.zeros_like(h[:1]), h[:-1]])
    da = dh * prev * np.exp(dt[:, :, None] * A)
    ddt = du * x + (da * A).sum(axis=2)
    dA = (da * dt[:, :, None]).sum(axis=0)
    dx = du * dt + g * D
    dD = (g * x).sum(axis=0)
    return tuple(v.astype(kind) for v in (dx, ddt, dA, dB, dC, dD))
