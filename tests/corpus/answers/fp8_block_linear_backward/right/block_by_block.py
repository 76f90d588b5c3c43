import numpy as np


def fp8_block_linear_backward(g, x, w, xq, sx, wq, sw, block):
    """Multiply the codes, and apply the scales to the partial sums of each block, as an FP8 kernel does."""
    dx, dw = np.zeros_like(x), np.zeros_like(w)
    for j in range(sx.shape[1]):
        columns = slice(j * block, (j + 1) * block)
        dw[:, columns] = (g * sx[:, j : j + 1]).T @ xq[:, columns]
        for i in range(sw.shape[0]):
            rows = slice(i * block, (i + 1) * block)
            dx[:, columns] += g[:, rows] @ wq[rows, columns] * sw[i, j]
    return dx, dw
