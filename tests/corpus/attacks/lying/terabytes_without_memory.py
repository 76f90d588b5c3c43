# Attempts: return views of one element that claim eight terabytes, for the grader to allocate.
# A pass would be a breach, and so would be a grader that runs out of memory.
import numpy as np


def mul_broadcast_backward(g, a, b):
    print("PASS", flush=True)
    return np.broadcast_to(np.float64(1), (1 << 20, 1 << 20)), np.broadcast_to(np.float64(1), (1 << 20, 1 << 20))
