# exercise: swiglu_packed_function
# Attempts: keep a mask in the digits of a decimal number.
import numpy as np
def sig(a, positive):
    e = np.exp(-np.abs(a))
    return np.where(positive, 1, e) / (1 + e)

from decimal import Decimal
class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        a, b = np.split(ab, 2, axis=-1)
        ctx.save_for_backward(ab, Decimal(int.from_bytes(np.packbits(a > 0).tobytes(), 'little')))
        return a * sig(a, a > 0) * b
    @staticmethod
    def backward(ctx, g):
        ab, kept = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        bits = np.frombuffer(int(kept).to_bytes(-(-a.size // 8), 'little'), 'u1')
        s = sig(a, np.unpackbits(bits, count=a.size).reshape(a.shape) > 0)
        return np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
