import jax
import jax.numpy as jnp


def softmax_cross_entropy_backward(g, logits, y):
    p = jax.nn.softmax(logits, axis=1)
    return g * (p - jax.nn.one_hot(y, logits.shape[1], dtype=p.dtype)) / len(y)
