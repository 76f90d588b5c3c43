import numpy as np


def moe_topk_gate_backward(g, x, W, logits, k):
    rank = np.argsort(np.argsort(-logits, axis=1, kind="stable"), axis=1)
    masked = np.where(rank < k, logits, -np.inf)
    q = np.exp(masked - masked.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    dx, dW, dq = np.zeros_like(x), np.zeros_like(W), np.zeros_like(logits)
    for i in range(len(W)):
        tokens = np.flatnonzero(rank[:, i] < k)
        dy = q[tokens, i, None] * g[tokens]
        dq[tokens, i] = np.einsum("te,te->t", g[tokens], x[tokens] @ W[i])
        dx[tokens] += dy @ W[i].T
        dW[i] = x[tokens].T @ dy
    return dx, dW, q * (dq - (dq * q).sum(axis=1, keepdims=True))
