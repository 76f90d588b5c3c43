import numpy as np


def fp8_block_linear_backward(g, x, w, xq, sx, wq, sw, n):
    """Multiply the codes, and apply the scales to the partial sums of each block, as an FP8 kernel does."""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for j in range(sx.shape[1]):
        columns = slice(j * n, (j + 1) * n)
        dw[:, columns] = (g * sx[:, j : j + 1]).T @ xq[:, columns]
        for i in range(sw.shape[0]):
            rows = slice(i * n, (i + 1) * n)
            dx[:, columns] += g[:, rows] @ wq[rows, columns] * sw[i, j]
    return dx, dw
