import numpy as np


def rloo_backward(g, logp, reward):
    """Average the other answers of each prompt literally."""
    dlogp = np.empty_like(logp)
    for b, rewards in enumerate(reward):
        for k in range(len(rewards)):
            dlogp[b, k] = np.delete(rewards, k).mean() - rewards[k]
    return dlogp * (g / dlogp.size)
