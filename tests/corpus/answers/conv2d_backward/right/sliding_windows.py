import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    windows = sliding_window_view(padded, (K, L), axis=(2, 3))[:, :, ::stride, ::stride]
    dw = np.tensordot(g, windows, axes=([0, 2, 3], [0, 2, 3]))

    # the transposed convolution: spread g out, pad it fully, slide the kernel turned round
    Y, Z = g.shape[2:]
    spread = np.zeros((N, O, padded.shape[2] + K - 1, padded.shape[3] + L - 1), g.dtype)
    spread[:, :, K - 1 : K - 1 + Y * stride : stride, L - 1 : L - 1 + Z * stride : stride] = g
    turned = w[:, :, ::-1, ::-1]
    dpadded = np.einsum("noyzkl,ockl->ncyz", sliding_window_view(spread, (K, L), axis=(2, 3)), turned, optimize=True)
    return dpadded[:, :, pad : pad + H, pad : pad + W].copy(), dw, g.sum((0, 2, 3))
