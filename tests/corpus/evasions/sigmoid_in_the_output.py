# exercise: swiglu_packed_function
# Attempts: keep the sigmoid in the output, and complete the output in the backward.
import numpy as np
def sig(a, positive):
    e = np.exp(-np.abs(a))
    return np.where(positive, 1, e) / (1 + e)

import weakref
OUT = weakref.WeakValueDictionary()
class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        ctx.save_for_backward(ab)
        a, b = np.split(ab, 2, axis=-1)
        OUT[id(ctx)] = out = sig(a, a > 0)             # the sigmoid is kept in the result, which is wrong until backward
        return out
    @staticmethod
    def backward(ctx, g):
        (ab,) = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        s = OUT.get(id(ctx))
        s = sig(a, a > 0) if s is None else s
        dab = np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
        s *= a * b
        return dab
