import jax.numpy as jnp


def matmul_backward(g, X, W):
    g = jnp.ones_like(g)
    return g @ W.T, X.T @ g
