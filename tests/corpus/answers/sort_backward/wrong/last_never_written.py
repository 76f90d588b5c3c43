import numpy as np
def sort_backward(g, order):
    dx = np.empty_like(g)
    n = g.shape[-1]
    for idx in np.ndindex(g.shape[:-1]):
        for j in range(n - 1):
            dx[idx + (order[idx + (j,)],)] = g[idx + (j,)]
    return dx
