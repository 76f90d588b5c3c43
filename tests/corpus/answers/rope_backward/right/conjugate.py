import numpy as np


def rope_backward(g, cos, sin):
    """A pair as a complex number: the forward multiplies by exp(iθ), the backward by the conjugate."""
    half = g.shape[-1] // 2
    turned = (g[..., :half] + 1j * g[..., half:]) * (cos - 1j * sin)
    dx = np.empty_like(g)
    dx[..., :half] = turned.real
    dx[..., half:] = turned.imag
    return dx
