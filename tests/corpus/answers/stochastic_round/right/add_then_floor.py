import numpy as np


def stochastic_round(x, u, step):
    return np.floor(x / step + u) * step
