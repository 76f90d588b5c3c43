import numpy as np


def unbroadcast(g, shape):
    result = np.zeros(shape, g.dtype)
    positions = np.broadcast_to(np.arange(result.size).reshape(shape), g.shape)
    np.add.at(result.reshape(-1), positions.ravel(), g.ravel())
    return result
