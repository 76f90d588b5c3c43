import numpy as np


def sigmoid(z):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))


def lstm_step_backward(gh, gc, x, h, c, W):
    """Slopes of the curves from z, not from their outputs: nothing cancels where a gate saturates."""
    inputs = np.append(x, h, axis=1)
    z = np.split(inputs @ W, 4, axis=1)
    (i, f, o), u = map(sigmoid, z[:3]), np.tanh(z[3])
    c2 = f * c + i * u
    sech = lambda a: 4 * sigmoid(2 * a) * sigmoid(-2 * a)
    dc2 = gc + gh * o * sech(c2)
    dz = np.empty_like(inputs @ W)
    H = h.shape[1]
    dz[:, :H] = dc2 * u * i * sigmoid(-z[0])
    dz[:, H : 2 * H] = dc2 * c * f * sigmoid(-z[1])
    dz[:, 2 * H : 3 * H] = gh * np.tanh(c2) * o * sigmoid(-z[2])
    dz[:, 3 * H :] = dc2 * i * sech(z[3])
    dinputs = dz @ W.T
    return dinputs[:, : x.shape[1]].copy(), dinputs[:, x.shape[1] :].copy(), f * dc2, inputs.T @ dz
