# /// autodrill
# title = "Backward of GELU"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["activations"]
# requires = ["tanh_backward"]
# ///
"""The forward pass computed the exact GELU, `out = x · Φ(x)`. Φ is the cumulative
distribution function of the standard normal distribution:

    Φ(x) = (1 + erf(x / √2)) / 2

`g` is dL/dout and has the shape of `x`. Return `dx`. NumPy has no erf, so this file
defines `erf` for arrays. The derivative of erf(u) is 2/√π · exp(-u²).
"""

import math

import numpy as np


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu_backward(g, x):
    raise NotImplementedError
