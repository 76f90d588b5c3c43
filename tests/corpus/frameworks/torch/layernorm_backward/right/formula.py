import torch


def summed(x, axes):
    return torch.sum(x, dim=axes) if axes else x.clone()  # no axis means every axis to `torch.sum`


def layernorm_backward(g, xhat, rstd, gamma):
    rows = tuple(range(g.ndim - 1))
    h = g * gamma
    dx = rstd * (h - h.mean(dim=-1, keepdim=True) - xhat * (h * xhat).mean(dim=-1, keepdim=True))
    return dx, summed(g * xhat, axes=rows), summed(g, axes=rows)
