# exercise: swiglu_packed_function
# Attempts: keep a mask in a context as a file in memory.
import numpy as np
def sig(a, positive):
    e = np.exp(-np.abs(a))
    return np.where(positive, 1, e) / (1 + e)

import io
class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        a, b = np.split(ab, 2, axis=-1)
        ctx.save_for_backward(ab, io.BytesIO(np.packbits(a > 0).tobytes()))
        return a * sig(a, a > 0) * b
    @staticmethod
    def backward(ctx, g):
        ab, kept = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        s = sig(a, np.unpackbits(np.frombuffer(kept.getvalue(), 'u1'), count=a.size).reshape(a.shape) > 0)
        return np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
