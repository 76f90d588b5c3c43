import jax.numpy as jnp


def mul_broadcast_backward(g, a, b):
    return jnp.multiply(g, b), jnp.multiply(g, a)
