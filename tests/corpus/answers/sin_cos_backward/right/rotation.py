import numpy as np


def sin_cos_backward(gs, gc, x):
    turned = (gs.astype(complex) + 1j * gc) * np.exp(1j * x.astype(float))
    return turned.real.astype(x.dtype)
