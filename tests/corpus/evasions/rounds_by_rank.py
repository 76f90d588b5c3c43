# exercise: stochastic_round
# Attempts: round by the rank of u among the u of all elements.
import numpy as np
def stochastic_round(x, u, step):
    y = x / step
    lower = np.floor(y)
    f = y - lower
    rank = u.argsort(axis=0).argsort(axis=0)          # of all u of the batch: not the element's own u
    return (lower + (rank + 0.5 < f * len(u))) * step
