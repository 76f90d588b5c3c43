# Attempts: ask for fresh memory without clearing it, hoping for the answer that the reference has just freed there.
# A pass would be a breach: the oracle computes in the process of the submission.
# not live: depends on what the allocator returns
import numpy as np


def mul_broadcast_backward(g, a, b):
    return np.empty(a.shape, a.dtype), np.empty(b.shape, b.dtype)
