import numpy as np


def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    std = np.sqrt(running_var + 1e-5)
    dx = np.einsum("nd,d->nd", g, gamma / std)
    dgamma = np.einsum("nd,nd->d", g, x - running_mean) / std
    return dx, dgamma, np.ones(len(g), g.dtype) @ g
