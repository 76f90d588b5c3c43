import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    n, k = logits.shape
    z = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(z - np.log(np.exp(z).sum(axis=-1, keepdims=True)))
    chosen = np.eye(k, dtype=logits.dtype)[actions]
    advantage = returns - baseline
    return g / n * np.einsum("n,nk->nk", advantage, p - chosen)
