import torch


def logsumexp_backward(g, x, out, axis=-1):
    return g[..., None] * torch.exp(x - out[..., None])
