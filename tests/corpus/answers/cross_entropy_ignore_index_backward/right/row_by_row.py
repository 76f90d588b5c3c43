import math

import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    dlogits = np.zeros(logits.shape, logits.dtype)
    counted = sum(1 for label in y.tolist() if label != ignore)
    for n, label in enumerate(y.tolist()):
        if label == ignore:
            continue
        row = logits[n].tolist()
        top = max(row)
        lse = top + math.log(math.fsum(math.exp(z - top) for z in row))
        for c, z in enumerate(row):
            dlogits[n, c] = float(g) / counted * (math.exp(z - lse) - (c == label))
    return dlogits
