# /// autodrill
# title = "Backward of bilinear sampling"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["conv", "indexing", "kinks"]
# requires = ["mul_backward"]
# ///
"""The forward pass read an image at n places between its pixels. `img` has shape (H, W). `x` and `y` have
shape (n,): `x` runs along W, `y` runs along H, and pixel img[i, j] is at y = i, x = j. For one point,

    x0 = floor(x),  fx = x - x0,      y0 = floor(y),  fy = y - y0

    out = (1-fy) (1-fx) img[y0,   x0]  +  (1-fy) fx img[y0,   x0+1]
        +    fy  (1-fx) img[y0+1, x0]  +     fy  fx img[y0+1, x0+1]

Outside the image, img is read as 0, so a point far outside has out = 0. Points may share pixels. `g` is
dL/dout, of shape (n,). Return `dimg, dx, dy`. At an integer coordinate, take the derivative from the right,
with x0 and y0 held fixed.
"""

import numpy as np


def grid_sample_backward(g, img, x, y):
    raise NotImplementedError
