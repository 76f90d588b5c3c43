# /// autodrill
# title = "Batch normalisation, both passes"
# kind = "forward_backward"
# difficulty = "hard"
# minutes = 12
# topics = ["norm"]
# requires = ["mul_broadcast_backward", "sum_backward"]
# ///
"""Batch normalisation in training mode computes, for `x` of shape (N, D) and for `gamma` and `beta` of
shape (D,),

    out = gamma * (x - mean) / sqrt(var + eps) + beta

`mean` and the *biased* variance `var` are taken over the batch, for each column separately. `eps` is 1e-5.

Write both passes. The forward returns the output and a cache of your choice. The backward receives that cache and `g` =
dL/dout, and returns `dx, dgamma, dbeta`.
"""


def batchnorm_forward(x, gamma, beta):
    raise NotImplementedError
    return out, cache


def batchnorm_backward(g, cache):
    raise NotImplementedError
