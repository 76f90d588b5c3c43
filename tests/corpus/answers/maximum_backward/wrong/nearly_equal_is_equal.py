import numpy as np
def maximum_backward(g, a, b):
    a_wins = np.where(a - b > 1e-9, 1.0, 0.0).astype(g.dtype)
    return g * a_wins, g * (1 - a_wins)
