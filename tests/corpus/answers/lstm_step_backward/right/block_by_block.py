import numpy as np


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z < 0, e, 1) / (1 + e)


def lstm_step_backward(gh, gc, x, h, c, W):
    (N, D), H = x.shape, h.shape[1]
    blocks = W.reshape(D + H, 4, H)
    i, f, o, u = (np.einsum("nk,kj->nj", np.hstack((x, h)), blocks[:, k]) for k in range(4))
    i, f, o, u = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)
    tanh_c2 = np.tanh(f * c + i * u)
    dc2 = gc + gh * o * (1 - tanh_c2) * (1 + tanh_c2)
    dz = np.stack([dc2 * u * i * (1 - i), dc2 * c * f * (1 - f), gh * tanh_c2 * o * (1 - o), dc2 * i * (1 - u * u)], 1)
    both = np.einsum("nkj,dkj->nd", dz, blocks)
    dW = np.einsum("nd,nkj->dkj", np.hstack((x, h)), dz).reshape(W.shape)
    return both[:, :D].copy(), both[:, D:].copy(), dc2 * f, dW
