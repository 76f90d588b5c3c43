import jax.numpy as jnp


def unbroadcast(grad, shape):
    extra = grad.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(extra + i for i, n in enumerate(shape) if n == 1)
    return jnp.sum(grad, axis=axes).reshape(shape)


def mul_broadcast_backward(g, a, b):
    return unbroadcast(g * b, a.shape), unbroadcast(g * a, b.shape)
