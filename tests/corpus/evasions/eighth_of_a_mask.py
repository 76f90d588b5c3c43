# exercise: dropout_from_seed_function
# Attempts: keep an eighth of each mask in a global, in bits.
import numpy as np
KEPT = {}
class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        keep = np.random.default_rng(seed).random(x.shape) >= p
        KEPT[seed] = np.packbits(keep.ravel()[: x.size // 8]).tobytes()
        return x * keep / (1 - p)
    @staticmethod
    def backward(ctx, g):
        keep = np.random.default_rng(ctx.seed).random(g.shape) >= ctx.p
        n = g.size // 8
        keep.ravel()[:n] = np.unpackbits(np.frombuffer(KEPT.pop(ctx.seed), 'u1'), count=n).astype(bool)
        return g * keep / (1 - ctx.p), None, None
