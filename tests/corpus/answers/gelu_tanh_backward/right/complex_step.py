import numpy as np


def gelu_tanh_backward(g, x):
    """One complex step for all elements: exact to rounding, and as cheap as the formula, which the task allows."""
    z = x.astype(np.complex128) + 1e-200j
    y = 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))
    return (g * (y.imag / 1e-200)).astype(x.dtype)
