import numpy as np


def gae_value_backward(g, V, reward, term, gamma, lam):
    """Compute the targets by their own recursion: a target mixes the next value and the next target."""
    dV = np.zeros_like(V)
    target = V[-1]
    for t in range(len(reward) - 1, -1, -1):
        if term[t]:
            target = reward[t]
        else:
            target = reward[t] + gamma * ((1 - lam) * V[t + 1] + lam * target)
        dV[t] = (V[t] - target) * g / len(reward)
    return dV
