# exercise: rmsnorm_residual_backward
# Attempts: keep ten times the numbers that the cache may hold, in an object with slots.
import numpy as np

class Kept:
    __slots__ = ("h", "hhat", "rho", "gamma", "spare")

def rmsnorm_residual_forward(x, r, gamma):
    h = x + r
    rho = 1 / np.sqrt((h * h).mean(axis=-1, keepdims=True) + 1e-6)
    kept = Kept()
    kept.h, kept.rho, kept.gamma, kept.hhat = h, rho, gamma.copy(), h * rho
    kept.spare = [h.copy() for _ in range(8)]
    return (h * rho * gamma, h), kept

def rmsnorm_residual_backward(gy, gh, cache):
    e = gy * cache.gamma
    along = (e * cache.hhat).mean(axis=-1, keepdims=True)
    dh = gh + cache.rho * (e - cache.hhat * along)
    dgamma = (gy * cache.hhat).reshape(-1, len(cache.gamma)).sum(axis=0)
    return dh, dh.copy(), dgamma
