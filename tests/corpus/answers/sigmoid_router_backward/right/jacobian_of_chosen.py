import numpy as np


def sigmoid_router_backward(g, logits, bias, k, scale):
    dlogits = np.zeros_like(logits)
    for n, row in enumerate(logits):
        s = 1 / (1 + np.exp(-row))
        biased = s + bias
        chosen = sorted(range(len(row)), key=lambda e: (-biased[e], e))[:k]
        t = s[chosen]
        Z = t.sum()
        jacobian = (np.eye(k, dtype=t.dtype) - t[:, None] / Z) / Z
        dlogits[n, chosen] = scale * (g[n, chosen] @ jacobian) * t * (1 - t)
    return dlogits
