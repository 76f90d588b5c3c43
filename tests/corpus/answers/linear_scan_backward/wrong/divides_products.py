import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    products = np.cumprod(a, axis=0)
    safe = np.where(products == 0, 1, products)
    lam = np.cumsum((g * products)[::-1], axis=0)[::-1] / safe
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, a[0] * lam[0]
