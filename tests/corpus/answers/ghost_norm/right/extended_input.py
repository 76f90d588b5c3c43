import numpy as np


def ghost_norm(a, g):
    """An input of ones makes the bias a row of W. Each pair of tokens counts twice, and each token once."""
    count, tokens, _ = a.shape
    x = np.concatenate([a, np.ones((count, tokens, 1), a.dtype)], axis=2)
    square = np.zeros(count, a.dtype)
    for t in range(tokens):
        for s in range(t + 1):
            term = np.einsum("nd,nd->n", x[:, t], x[:, s]) * np.einsum("nk,nk->n", g[:, t], g[:, s])
            square += term if s == t else 2 * term
    return np.sqrt(np.maximum(square, 0))
