import numpy as np


class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        m = ab.shape[-1] // 2
        ctx.a, ctx.b = ab[..., :m], ab[..., m:]
        return ctx.a * ctx.b * np.exp(-np.logaddexp(0, -ctx.a))

    @staticmethod
    def backward(ctx, g):
        m = ctx.a.shape[-1]
        dab = np.empty((*ctx.a.shape[:-1], 2 * m), ctx.a.dtype)
        s = np.exp(-np.logaddexp(0, -ctx.a))
        silu = ctx.a * s
        dab[..., :m] = g * ctx.b * (silu + s * (1 - silu))
        dab[..., m:] = g * silu
        return dab
