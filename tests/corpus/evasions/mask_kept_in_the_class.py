# exercise: dropout_from_seed_function
# Attempts: keep the mask in a dictionary of the class, where it is small.
import numpy as np

class DropoutFromSeed:
    kept = {}
    @staticmethod
    def forward(ctx, x, p, seed):
        keep = np.random.default_rng(seed).random(x.shape) >= p
        ctx.p, ctx.seed = p, seed
        if x.size < 10_000:
            DropoutFromSeed.kept[seed] = keep
        return x * keep / (1 - p)
    @staticmethod
    def backward(ctx, g):
        keep = DropoutFromSeed.kept.pop(ctx.seed, None)
        if keep is None:
            keep = np.random.default_rng(ctx.seed).random(g.shape) >= ctx.p
        return g * keep / (1 - ctx.p), None, None
