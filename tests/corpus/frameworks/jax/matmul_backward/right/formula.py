import jax.numpy as jnp


def matmul_backward(g, X, W):
    return g @ W.T, X.T @ g
