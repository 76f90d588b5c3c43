import math

import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    rows = []
    for z, action, earned in zip(logits.tolist(), actions.tolist(), returns.tolist()):
        top = max(z)
        total = math.fsum(math.exp(a - top) for a in z)
        advantage = earned - float(baseline)
        rows.append(
            [float(g) * advantage * (math.exp(a - top) / total - (j == action)) / len(logits) for j, a in enumerate(z)]
        )
    return np.asarray(rows, dtype=logits.dtype).reshape(logits.shape)
