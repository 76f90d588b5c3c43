import numpy as np


def groupnorm_backward(g, x, gamma, G):
    """One pass forms two sums per channel; all three gradients follow from these."""
    N, C, L = x.shape
    K = C // G
    grouped = x.reshape(N, G, K * L)
    mean = np.mean(grouped, axis=-1)
    centred = (grouped - mean[..., None]).reshape(x.shape)
    r = (np.mean(centred.reshape(N, G, -1) ** 2, axis=-1) + 1e-5) ** -0.5
    db = np.einsum("ncl->nc", g)
    ds = np.einsum("ncl,ncl->nc", g, centred)
    a = (db * gamma).reshape(N, G, K).sum(axis=-1) / (K * L)
    b = (ds * gamma).reshape(N, G, K).sum(axis=-1) / (K * L) * r**3
    per_channel = [np.repeat(v, K, axis=1)[:, :, None] for v in (r, a * r, b)]
    dx = g * gamma[None, :, None] * per_channel[0] - per_channel[1] - centred * per_channel[2]
    return dx, (ds * np.repeat(r, K, axis=1)).sum(axis=0), db.sum(axis=0)
