import numpy as np


def load_balancing_loss_backward(g, logits, k):
    tokens, experts = logits.shape
    share = np.zeros(experts, logits.dtype)
    for row in logits:
        for e in sorted(range(experts), key=lambda e: (-row[e], e))[:k]:
            share[e] += 1 / (tokens * k)
    out = []
    for row in logits:
        p = np.exp(row - row.max())
        p /= p.sum()
        # The Jacobian of softmax is diag(p) - p pᵀ.
        out.append((np.diag(p) - np.outer(p, p)) @ share)
    return np.array(out, logits.dtype) * (g * experts / tokens)
