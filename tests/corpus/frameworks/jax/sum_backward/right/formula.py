import jax.numpy as jnp


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        g = jnp.expand_dims(g, axis)
    return jnp.broadcast_to(g, x_shape)
