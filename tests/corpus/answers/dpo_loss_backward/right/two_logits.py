import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    """The loss is a cross-entropy of two logits a pair, of which the chosen one is right."""
    logits = beta * np.stack([lp_chosen - ref_chosen, lp_rejected - ref_rejected])
    e = np.exp(logits - logits.max(axis=0))
    p_rejected = e[1] / e.sum(axis=0)
    d = p_rejected * beta * g / logits.shape[1]
    return -d, d
