# exercise: checkpoint_sqrt_n
# Attempts: keep of every activation only the 640 numbers that its vjp reads, uncounted, and recompute nothing.
# A pass would be a breach: what is kept of all activations fitted into the bound on memory.
import numpy as np


def checkpoint_sqrt_n(fs, x, g):
    kept, a, n = [], x, len(x)
    for f, _ in fs:
        kept.append(np.array(a[-640:]))
        a = f(a)
    del a
    for _, vjp in reversed(fs):
        a = np.zeros(n)
        part = kept.pop()
        a[-len(part):] = part
        g = vjp(a, g)
    return g
