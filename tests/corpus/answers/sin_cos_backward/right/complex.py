import numpy as np


def sin_cos_backward(gs, gc, x):
    z = (gs + 1j * gc) * np.exp(1j * x.astype(np.complex128))
    return np.real(z).astype(x.dtype)
