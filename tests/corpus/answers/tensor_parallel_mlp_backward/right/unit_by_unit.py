import numpy as np


def tensor_parallel_mlp_backward(x, W1_rank, W2_rank, g, all_reduce, world):
    """One hidden unit after the other; dx is summed over the rank's units before the message."""
    dW1, dW2, dx = np.zeros_like(W1_rank), np.zeros_like(W2_rank), np.zeros_like(x)
    for k in range(W1_rank.shape[1]):
        unit = np.einsum("nd,d->n", x, W1_rank[:, k])
        on = unit > 0
        dW2[k] = np.where(on, unit, 0.0) @ g
        da = np.where(on, g @ W2_rank[k], 0.0)
        dW1[:, k] = da @ x
        dx += np.outer(da, W1_rank[:, k])
    return all_reduce(dx), dW1, dW2, np.ones(len(g)) @ g
