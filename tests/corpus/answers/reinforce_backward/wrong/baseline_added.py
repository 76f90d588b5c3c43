import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    score = e / e.sum(axis=1, keepdims=True)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns + baseline)[:, None] / len(actions)
