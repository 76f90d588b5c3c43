import jax.numpy as jnp


def sum_backward(g, x_shape, axis=None, keepdims=False):
    return jnp.broadcast_to(g, x_shape)
