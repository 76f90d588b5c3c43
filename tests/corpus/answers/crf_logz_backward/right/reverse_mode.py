import numpy as np


def crf_logz_backward(g, em, trans):
    """Reverse mode through the recursion for alpha: each logsumexp passes its gradient on by softmax weights."""
    alphas, weights = [em[0]], []
    for t in range(1, em.shape[0]):
        scores = alphas[-1][:, np.newaxis] + trans
        top = np.max(scores, axis=0)
        exps = np.exp(scores - top)
        total = np.sum(exps, axis=0)
        weights.append(exps / total)
        alphas.append(em[t] + top + np.log(total))
    last = np.exp(alphas[-1] - np.max(alphas[-1]))
    dalpha = g * last / np.sum(last)
    dem = np.zeros(em.shape, dtype=em.dtype)
    dtrans = np.zeros(trans.shape, dtype=trans.dtype)
    for t in range(em.shape[0] - 1, 0, -1):
        dem[t] = dalpha
        flow = weights[t - 1] * dalpha
        dtrans += flow
        dalpha = flow.sum(axis=1)
    dem[0] = dalpha
    return dem, dtrans
