import torch


def softmax_jvp(x, v):
    p = torch.softmax(x, dim=-1)
    return p * (v + (p * v).sum(dim=-1, keepdim=True))
