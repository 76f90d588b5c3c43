# -*- coding: cp1251 -*-
# Unusual: в кодировке Windows, and names in it.
import numpy as np


def back(x, shape):
    while x.ndim > len(shape):
        x = x.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            x = x.sum(axis, keepdims=True)
    return x


def mul_broadcast_backward(g, a, b):
    """Производная произведения."""
    да, дб = g * b, g * a
    return back(да, a.shape), back(дб, b.shape)
