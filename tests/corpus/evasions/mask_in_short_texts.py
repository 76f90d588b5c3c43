# exercise: swiglu_packed_function
# Attempts: keep a mask in short texts.
import numpy as np
def sig(a, positive):
    e = np.exp(-np.abs(a))
    return np.where(positive, 1, e) / (1 + e)

class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        a, b = np.split(ab, 2, axis=-1)
        bits = np.packbits(a > 0)
        bits = np.concatenate([bits, np.zeros(-bits.size % 2, 'u1')]).view('<u2').tolist()
        text = ''.join(chr(0x10000 + n) for n in bits)
        ctx.save_for_backward(ab, *(text[i : i + 64] for i in range(0, len(text), 64)))
        return a * sig(a, a > 0) * b
    @staticmethod
    def backward(ctx, g):
        ab, *texts = ctx.saved_tensors
        a, b = np.split(ab, 2, axis=-1)
        bits = np.array([ord(c) - 0x10000 for t in texts for c in t], '<u2').view('u1')
        s = sig(a, np.unpackbits(bits, count=a.size).reshape(a.shape) > 0)
        return np.concatenate([g * b * s * (1 + a * (1 - s)), g * a * s], axis=-1)
