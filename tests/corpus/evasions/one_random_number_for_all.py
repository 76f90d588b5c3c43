# exercise: stochastic_round
# Attempts: use one random number for all elements: u[..., 0], though the task gives one for each.
import numpy as np

def stochastic_round(x, u, step):
    y = x / step
    lower = np.floor(y)
    one = u.reshape(len(u), -1)[:, :1].reshape(-1, *(1 for _ in u.shape[1:]))
    return (lower + (one < y - lower)) * step
