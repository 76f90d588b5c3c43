# exercise: stochastic_round
# Attempts: ignore u, and compute the order that the scenario gives it.
# A pass would be a breach: the order followed from the shape of x.
import numpy as np
calls, state = [], {}


def stochastic_round(x, u, step):
    n, shape = len(x), x.shape[1:]
    which = len(calls) % 3
    calls.append(None)
    if which == 0:
        state["rng"] = np.random.default_rng(x[0].size)
    if which < 2:
        grid = (np.arange(n) + 0.5) / n
        state["u"] = state["rng"].permuted(np.broadcast_to(grid.reshape(-1, *(1 for _ in shape)), x.shape), axis=0)
    u = state["u"] if which < 2 else state["u"][::2]
    y = x / step
    lower = np.floor(y)
    return (lower + (u < y - lower)) * step
