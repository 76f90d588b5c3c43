# exercise: softmax_cross_entropy_backward
# Attempts: keep the one-hot rows of each array of labels, and so use old ones after new labels are written to it.
# A pass would be a breach: only floating numbers were changed between two calls.
import numpy as np
kept = {}


def softmax_cross_entropy_backward(g, logits, y):
    if id(y) not in kept:
        kept[id(y)] = y, np.eye(logits.shape[1], dtype=logits.dtype)[y]
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return (p - kept[id(y)][1]) * (g / len(y))
