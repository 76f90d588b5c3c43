import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    score = e / e.sum(axis=1, keepdims=True)
    score[np.arange(len(actions)), actions] -= 1
    advantage = returns - returns.mean()
    return (g * score * (advantage / (returns.std() + 1e-8))[:, None] / len(actions)).astype(logits.dtype)
