import numpy as np


def softmax(row):
    e = np.exp(row - row.max())
    return e / e.sum()


def reinforce_backward(g, logits, actions, returns, baseline):
    weights = g * (baseline - returns) / len(returns)
    dlogits = np.zeros_like(logits)
    np.add.at(dlogits, (np.arange(len(actions)), actions), weights)
    for row, weight, z in zip(dlogits, weights, logits):
        row -= weight * softmax(z)
    return dlogits
