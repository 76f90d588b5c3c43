import math

import numpy as np


def sin_cos_backward(gs, gc, x):
    dx = np.zeros_like(x)
    it = np.nditer([gs, gc, x, dx], flags=["zerosize_ok"], op_flags=[["readonly"]] * 3 + [["readwrite"]])
    for upstream_s, upstream_c, value, out in it:
        out[...] += upstream_s * math.cos(value)
        out[...] -= upstream_c * math.sin(value)
    return dx
