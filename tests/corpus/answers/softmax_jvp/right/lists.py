import math

import numpy as np


def of_row(x, v):
    top = max(x)
    weights = [math.exp(a - top) for a in x]
    total = math.fsum(weights)
    average = math.fsum(w * b for w, b in zip(weights, v)) / total
    return [w / total * (b - average) for w, b in zip(weights, v)]


def softmax_jvp(x, v):
    rows = zip(x.reshape(-1, x.shape[-1]).tolist(), v.reshape(-1, v.shape[-1]).tolist())
    return np.array([of_row(*row) for row in rows], dtype=x.dtype).reshape(x.shape)
