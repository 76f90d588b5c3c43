# exercise: reinforce_backward
# Attempts: change arguments in every call but the first with the same numbers.
# A pass would be a breach: only the first draw was watched.
import numpy as np
last = []


def reinforce_backward(g, logits, actions, returns, baseline):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(actions)), actions] -= 1
    p *= (g * (returns - baseline) / len(actions))[:, None]
    p = p.astype(logits.dtype)
    key = logits.tobytes()
    if last == [key]:
        logits[...] = 0
        returns[...] = 0
    last[:] = [key]
    return p
