import torch


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        axes = axis if isinstance(axis, tuple) else (axis,)
        for place in sorted(a % len(x_shape) for a in axes):
            g = torch.unsqueeze(g, place)
    return g.expand(x_shape).clone()
