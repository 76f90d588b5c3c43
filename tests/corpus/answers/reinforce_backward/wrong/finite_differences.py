# Central differences of the loss that automatic differentiation is given: the logarithms of the chosen probabilities.
import numpy as np


def loss(logits, actions, weights):
    shifted = logits - logits.max(axis=1, keepdims=True)
    logarithms = shifted[np.arange(len(actions)), actions] - np.log(np.exp(shifted).sum(axis=1))
    return -(weights * logarithms).mean()


def reinforce_backward(g, logits, actions, returns, baseline):
    out, h = np.zeros_like(logits), 1e-5 if logits.dtype == np.float64 else 0.02
    for index in np.ndindex(logits.shape):
        up, down = logits.copy(), logits.copy()
        up[index] += h
        down[index] -= h
        out[index] = (loss(up, actions, returns - baseline) - loss(down, actions, returns - baseline)) / (2 * h)
    return g * out
