import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    score = np.exp(logits - logits.max(axis=1, keepdims=True))
    score /= score.sum(axis=1, keepdims=True)
    score[np.arange(len(actions)), actions] -= 1
    advantage = np.clip(returns - baseline, -10, 10)
    return g * score * advantage[:, None] / len(actions)
