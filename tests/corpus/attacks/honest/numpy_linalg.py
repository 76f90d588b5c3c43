# Unusual: the sum over copies is a product with a vector of ones.
import numpy as np
from numpy.linalg import multi_dot


def back(x, shape):
    lead = x.ndim - len(shape)
    if lead:
        flat = x.reshape(int(np.prod(x.shape[:lead])), -1) if x.size else np.zeros((1, int(np.prod(x.shape[lead:]))))
        x = multi_dot([np.ones((1, len(flat)), x.dtype), flat.astype(x.dtype)]).reshape(x.shape[lead:])
    for axis, size in enumerate(shape):
        if size == 1:
            x = np.expand_dims(np.matmul(np.moveaxis(x, axis, -1), np.ones(x.shape[axis], x.dtype)), axis)
    return np.asarray(x)


def mul_broadcast_backward(g, a, b):
    return back(g * b, a.shape), back(g * a, b.shape)
