import numpy as np


def bug_token_weighted_accumulation(W, batches, all_reduce, world):
    """The count travels with the summed gradient, and the division comes last."""
    sent = np.zeros(W.size + 1)
    for x, y in batches:
        x, y = x[y >= 0], y[y >= 0]
        if len(y):
            z = x @ W
            p = np.exp(z - np.log(np.exp(z).sum(axis=1))[:, None]) - np.eye(W.shape[1])[y]
            sent[:-1] += (x.T @ p).ravel()
            sent[-1] += len(y)
    total = all_reduce(sent)
    return (total[:-1] / total[-1]).reshape(W.shape)
