import numpy as np


def merge_attention_backward(g, glse, o1, l1, o2, l2):
    """The merge as a fraction: each part adds exp(l) to the denominator and o · exp(l) to the numerator."""
    top = np.maximum(l1, l2)
    e1, e2 = np.exp(l1 - top), np.exp(l2 - top)
    denominator = e1 + e2
    out = (e1[:, None] * o1 + e2[:, None] * o2) / denominator[:, None]
    d_numerator = g / denominator[:, None]
    d_denominator = (glse - (g * out).sum(axis=1)) / denominator
    de1 = (d_numerator * o1).sum(axis=1) + d_denominator
    de2 = (d_numerator * o2).sum(axis=1) + d_denominator
    return e1[:, None] * d_numerator, e1 * de1, e2[:, None] * d_numerator, e2 * de2
