import numpy as np


def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def focal_loss_backward(g, x, t, gamma):
    lp, ln = log_sigmoid(x), log_sigmoid(-x)
    p, n = np.exp(lp), np.exp(ln)
    positive = np.exp(gamma * ln) * (gamma * p * lp - n)
    negative = np.exp(gamma * lp) * (p - gamma * n * ln)
    return (t * positive + (1 - t) * negative) * (g / x.size)
