# keeps the mask as packed bits in ctx; it is 64 times smaller than x, but still an array.
import numpy as np


class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        keep = np.random.default_rng(seed).random(x.shape) >= p
        ctx.save_for_backward(np.packbits(keep), x.shape, float(p))
        return (x * keep / (1 - float(p))).astype(x.dtype)

    @staticmethod
    def backward(ctx, g):
        bits, shape, p = ctx.saved_tensors
        n = int(np.prod(shape))
        keep = np.unpackbits(bits, count=n).reshape(shape).astype(bool)
        return (g * keep / (1 - p)).astype(g.dtype), None, None
