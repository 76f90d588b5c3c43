import numpy as np


def crf_logz_backward(g, em, trans):
    # Plain products of exponentials, without logarithms: longdouble reaches 1e4932.
    e, t = np.exp(em.astype(np.longdouble)), np.exp(trans.astype(np.longdouble))
    T, K = em.shape
    a, b = np.empty((T, K), np.longdouble), np.ones((T, K), np.longdouble)
    a[0] = e[0]
    for i in range(1, T):
        a[i] = e[i] * (a[i - 1] @ t)
    for i in range(T - 2, -1, -1):
        b[i] = t @ (e[i + 1] * b[i + 1])
    Z = a[-1].sum()
    dem = a * b / Z
    dtrans = np.zeros((K, K), np.longdouble)
    for i in range(1, T):
        dtrans += t * np.outer(a[i - 1], e[i] * b[i]) / Z
    return (g * dem).astype(em.dtype), (g * dtrans).astype(em.dtype)
