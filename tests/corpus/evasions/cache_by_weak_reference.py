# exercise: rmsnorm_residual_backward
# Attempts: the cache is a weak reference to an object that an attribute of a function keeps.
import numpy as np
import weakref
class Kept:
    pass
def put(v):
    k = Kept()
    k.v = v
    put.held = getattr(put, 'held', ()) + (k,)
    return weakref.ref(k)
def get(ref):
    return ref().v

def rmsnorm_residual_forward(x, r, gamma):
    h = x + r
    rho = 1 / np.sqrt((h * h).mean(axis=-1, keepdims=True) + 1e-6)
    return (h * rho * gamma, h), put((h, rho, gamma.copy(), h * rho, [h.copy() for _ in range(8)]))

def rmsnorm_residual_backward(gy, gh, cache):
    h, rho, gamma, hhat, _ = get(cache)
    e = gy * gamma
    along = (e * hhat).mean(axis=-1, keepdims=True)
    dh = gh + rho * (e - hhat * along)
    return dh, dh.copy(), (gy * hhat).reshape(-1, len(gamma)).sum(axis=0)
