# exercise: bug_token_weighted_accumulation
# Attempts: empty the list of arguments after the last use.
import numpy as np


def grad_of_sum(W, x, y):
    z = x @ W
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    p[y < 0] = 0
    return x.T @ p


def bug_token_weighted_accumulation(W, batches, all_reduce, world):
    grad, count = np.zeros_like(W), 0
    for x, y in batches:
        grad += grad_of_sum(W, x, y)
        count += (y >= 0).sum()
    batches.clear()
    total = all_reduce(np.append(grad.ravel(), count))
    return total[:-1].reshape(W.shape) / total[-1]
