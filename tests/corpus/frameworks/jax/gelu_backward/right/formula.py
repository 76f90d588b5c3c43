import math

import jax.numpy as jnp
from jax.scipy.special import erf


def gelu_backward(g, x):
    cdf = (1 + erf(x / math.sqrt(2))) / 2
    pdf = jnp.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * (cdf + x * pdf)
