import math

import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    rows = []
    for row, label in zip(logits.tolist(), y.tolist()):
        top = max(row)
        powers = [math.exp(v - top) for v in row]
        total = math.fsum(powers)
        rows.append([float(g) * (p / total - (c == label)) / len(y) for c, p in enumerate(powers)])
    return np.array(rows, dtype=logits.dtype).reshape(logits.shape)
