import jax.numpy as jnp


def sin_cos_backward(gs, gc, x):
    return gs * jnp.cos(x) - gc * jnp.sin(x)
