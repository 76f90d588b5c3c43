import torch


def sum_backward(g, x_shape, axis=None, keepdims=False):
    return torch.broadcast_to(g, x_shape).clone()
