import numpy as np


def rmsnorm(x, gamma):
    r = (np.mean(x**2, axis=-1, keepdims=True) + 1e-6) ** -0.5
    return x * r * gamma, r


def rmsnorm_backward(g, x, r, gamma):
    e = g * gamma
    return e * r - x * r**3 * np.mean(e * x, axis=-1, keepdims=True), np.einsum("nd,nd->d", g, x * r)


def linear_backward(g, x, W):
    return np.einsum("nk,dk->nd", g, W), np.einsum("nd,nk->dk", x, g)


def prenorm_residual_backward(g, x, gamma, W1, W2):
    n, r = rmsnorm(x, gamma)
    a = n @ W1
    z = np.where(a > 0, a, 0)
    dz, dW2 = linear_backward(g, z, W2)
    dn, dW1 = linear_backward(dz * np.sign(z), n, W1)
    dx, dgamma = rmsnorm_backward(dn, x, r, gamma)
    return dx + g, dgamma, dW1, dW2
