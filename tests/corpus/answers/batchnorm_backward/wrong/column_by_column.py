import numpy as np


def batchnorm_forward(x, gamma, beta):
    columns = []
    saved = {"gamma": gamma, "columns": columns}
    out = np.zeros_like(x)
    for d in range(x.shape[1]):
        column = x[:, d] - x[:, d].mean()
        rstd = (np.square(column).mean() + 1e-5) ** -0.5
        columns.append((column * rstd, rstd))
        out[:, d] = gamma[d] * columns[-1][0] + beta[d]
    return out, saved


def batchnorm_backward(g, cache):
    dx = np.zeros_like(g)
    dgamma, dbeta = np.zeros_like(cache["gamma"]), np.zeros_like(cache["gamma"])
    n = len(g)
    for d, (xhat, rstd) in enumerate(cache["columns"]):
        jacobian = rstd * (np.eye(n, dtype=g.dtype) - (1 + np.outer(xhat, xhat)) / n)
        dx[:, d] = jacobian.T @ (g[:, d] * cache["gamma"][d])
        dgamma[d], dbeta[d] = g[:, d] @ xhat, g[:, d].sum()
    return dx, dgamma, dbeta
