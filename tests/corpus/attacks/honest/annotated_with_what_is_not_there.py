# Unusual: names types of a library in annotations that is not used otherwise.
import numpy as np
import torch


def back(x, shape):
    while x.ndim > len(shape):
        x = x.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            x = x.sum(axis, keepdims=True)
    return x


def mul_broadcast_backward(g: "np.ndarray | torch.Tensor", a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return back(g * b, a.shape), back(g * a, b.shape)
