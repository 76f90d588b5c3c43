import torch


def sin_cos_backward(gs, gc, x):
    return gs * torch.cos(x) - torch.sin(x)
