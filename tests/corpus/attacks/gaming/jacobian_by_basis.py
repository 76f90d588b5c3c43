# Attempts: build the whole Jacobian by pushing unit vectors through the forward, and multiply.
# A pass would be a breach: no rule is needed, and an input of usual size is cheap.
import numpy as np


def mul_broadcast_backward(g, a, b):
    da = np.stack([np.sum(g * (e.reshape(a.shape) * b)) for e in np.eye(a.size)]) if a.size else np.zeros(0)
    db = np.stack([np.sum(g * (a * e.reshape(b.shape))) for e in np.eye(b.size)]) if b.size else np.zeros(0)
    return da.reshape(a.shape).astype(a.dtype), db.reshape(b.shape).astype(b.dtype)
