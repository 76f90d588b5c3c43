import numpy as np


def sigmoid(z):
    return 0.5 * (1 + np.tanh(z / 2))


class Gate:
    def __init__(self, z, curve):
        self.value = curve(z)
        self.slope = 1 - self.value**2 if curve is np.tanh else self.value * (1 - self.value)


def lstm_step_backward(gh, gc, x, h, c, W):
    D, H = x.shape[1], h.shape[1]
    z = x @ W[:D] + h @ W[D:]
    gates = [Gate(z[:, k * H : (k + 1) * H], np.tanh if k == 3 else sigmoid) for k in range(4)]
    i, f, o, u = gates
    t = np.tanh(f.value * c + i.value * u.value)
    dc2 = gh * o.value * (1 - t * t) + gc
    local = [dc2 * u.value, dc2 * c, gh * t, dc2 * i.value]
    dz = np.concatenate([d * gate.slope for d, gate in zip(local, gates)], axis=1)
    dW = np.vstack([x.T @ dz, h.T @ dz])
    return dz @ W[:D].T, dz @ W[D:].T, dc2 * f.value, dW
