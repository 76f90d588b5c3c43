"""out is linear in the image, with four weights per point. So each corner gets g times its weight, and a pixel adds up
the contributions of all points that read it. The forward is a gather, and its backward is a scatter.

Within a cell, out is linear in x. The weights 1-fx and fx have the slopes -1 and 1, and x0 is constant:

    dx = g ((1-fy) (img[y0, x0+1] - img[y0, x0]) + fy (img[y0+1, x0+1] - img[y0+1, x0]))

So dx takes the horizontal differences in the two rows of the cell and interpolates between them along y. dy takes the
vertical differences in the two columns and interpolates between them along x:

    dy = g ((1-fx) (img[y0+1, x0] - img[y0, x0]) + fx (img[y0+1, x0+1] - img[y0, x0+1]))

The code visits the four corners. It adds each corner's share to dimg, and stores the value of the pixel for dx and dy.
A corner outside the image reads 0 and gets nothing, but the other corners of the cell still count.

At an integer coordinate the slope jumps, because another cell begins there. floor picks the cell that begins there, so
the formulas give the derivative from the right.

Cost: a constant number of operations per point, among them four additions to dimg, and O(H·W) to clear dimg. The
forward reads four pixels per point, and saves the image and the coordinates. Several points may add to one pixel, so
`dimg[i, j] += ...` with index arrays is wrong: it performs only one of the additions. `np.add.at` performs all of them.

PyTorch: `F.grid_sample` takes normalised coordinates, x first, and a batch of images with channels. Pixels outside
count as 0 by default, as here, and `align_corners` is False by default. `GridSampler2DBackward0` saves the input and
the grid. At integer coordinates, the backward takes the same side as this exercise, unless the conversion from the
normalised coordinate rounds down. For H = 3 in float64, the normalised coordinate of row 0 is converted to -1.1e-16
instead of 0, so floor picks the cell before row 0. On CUDA the backward is not deterministic, so
`torch.use_deterministic_algorithms(True)` makes the backward raise an error.

Asked next:

- The coordinates are normalised, as in a spatial transformer. What changes? → A normalised coordinate u in [-1, 1]
  gives x = ((u + 1) W - 1)/2 for `align_corners=False`, so du = dx · W/2. With `align_corners=True`, du is dx · (W -
  1)/2.
- Why is dimg the slow part on a GPU? → The points that share a pixel are not known in advance, so their additions must
  be atomic. The additions collide where many points read one region, and their order is not fixed. So the last bits of
  dimg may differ from run to run.
- The point should move to a target 20 pixels away. Does gradient descent on x lead it there? → Gradient descent moves
  the point there only if the image slopes towards the target. dx depends only on the four pixels around the point. In a
  blurred image, or at a coarse level of an image pyramid, these pixels summarise a larger region.
- What are the second derivatives with respect to the coordinates? → Within a cell, out is linear in x, so the second
  derivative with respect to x is 0. In the same way, the second derivative with respect to y is 0. The mixed derivative
  is g (img[y0, x0] - img[y0, x0+1] - img[y0+1, x0] + img[y0+1, x0+1]).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, uniform

HINTS = (
    "How many pixels does one point read, and with which weights? Which of the weights change if x grows?",
    (
        "Each corner inside the image gets g times its weight, added up over all points. For dx, take the horizontal "
        "difference of the pixels in both rows of the cell, and interpolate along y. Corners outside read 0."
    ),
    (
        "Loop over the four corners (i, j), and select the points for which the corner is inside. Add to dimg with "
        "`np.add.at`. Then dx is `g * ((1 - fy) * (...) + fy * (...))`."
    ),
)


def within(side):
    """Draw coordinates away from the kinks, some of them in the cells beyond the border."""

    def draw(rng, shape, sizes):
        return rng.integers(-1, sizes[side], shape) + rng.uniform(0.1, 0.9, shape)

    return draw


CASES = [
    given("img[H,W] x[n] y[n]", x=within("W"), y=within("H"), large={"H": 40, "W": 60, "n": 20000}),
    given("img[3,4] x[7] y[7]", x=uniform(1.1, 1.9), y=uniform(0.1, 0.9), large=False, note="all points in one cell"),
    given("img[H,W] x[9] y[9]", x=within("W"), y=within("H"), large=False, note="nine points"),
    given(
        "img[3,4] x[7] y[7]",
        x=[-0.5, -3.7, 3.5, 8.2, 1.5, 2.5, 0.5],
        y=[0.4, 1.5, 2.5, 0.5, -0.3, -7.5, 6.3],
        note="points outside",
    ),
    given(
        "img[3,4] x[4] y[4]",
        x=[256.25, 2.0**16 + 1.5, 1.5, 0.5],
        y=[0.75, 1.5, 2.0**32 + 0.5, 1.25],
        smooth=False,
        note="points far outside",
    ),
    given(
        "img[2,3] x[5] y[5]",
        x=[0.0, 1.0, 2.0, -1.0, 1.5],
        y=[0.0, 1.0, 0.5, 0.0, -1.0],
        smooth=False,
        note="integer coordinates",
    ),
    given(
        "img[3,3] x[4] y[4]",
        x=[1 - 1e-9, 1 + 1e-9, 0.5, 1.5],
        y=[0.5, 1.5, 1 - 1e-9, 1 + 1e-9],
        smooth=False,
        note="next to integer coordinates",
    ),
    given("img[1,1] x[n] y[n]", x=uniform(-0.9, -0.1), y=uniform(0.1, 0.9), large=False, note="one pixel"),
]
MISTAKES = [
    edit(
        "scatter-overwrites",
        "`dimg[i, j] +=` adds once for every point",
        "Two points read one pixel. How many times does `dimg[i, j] += ...` change this pixel?",
        "np.add.at(dimg, at, (g * wy * wx)[inside]) -> dimg[at] += (g * wy * wx)[inside]",
    ),
    edit(
        "weights-of-opposite-corner",
        "a corner's weight is its distance from the point",
        "fx is 0.9. Is the point nearer to column x0 or to column x0 + 1? Which column must have the larger weight?",
        "g * wy * wx -> g * (1 - wy) * (1 - wx)",
    ),
    edit(
        "axes-exchanged",
        "x is the coordinate along the first axis",
        "Which axis of img has the length W?",
        "return dimg, dx, dy -> return dimg, dy, dx",
    ),
    edit(
        "coordinates-constant",
        "the coordinates are indices and have no gradient",
        "Move a point by 0.1. Does out change?",
        "return dimg, dx, dy -> return dimg, 0 * dx, 0 * dy",
    ),
    edit(
        "wraps",
        "NumPy skips an index of -1",
        "Which pixel is img[-1]?",
        "(i >= 0) -> (i >= -H)",
        "(j >= 0) -> (j >= -W)",
    ),
    edit(
        "truncates",
        "converting to an integer rounds down",
        "What is `int(-0.5)`, and what is the floor of -0.5?",
        "x0, y0 = np.floor(x), np.floor(y) -> x0, y0 = np.trunc(x), np.trunc(y)",
    ),
    edit(
        "first-row-and-column",
        "only the first row of the cell matters for dx, and only its first column for dy",
        "dx contains one difference from each of two rows. By which weight is each difference multiplied?",
        "(1 - fy) * (p01 - p00) + fy * (p11 - p10) -> p01 - p00",
        "(1 - fx) * (p10 - p00) + fx * (p11 - p01) -> p10 - p00",
    ),
    edit(
        "nearer-pixel",
        "a coordinate exactly on a pixel belongs to the cell before it",
        "Which cell does floor pick at an integer coordinate?",
        "x0, y0 = np.floor(x), np.floor(y) -> x0, y0 = np.ceil(x) - 1, np.ceil(y) - 1",
    ),
    edit(
        "near-the-kink",
        "a coordinate near an integer is that integer",
        "Let x be 1 - 1e-9. Between which two pixels does the point lie?",
        "x0, y0 = np.floor(x), np.floor(y) -> x0, y0 = np.floor(x + 1e-6), np.floor(y + 1e-6)",
    ),
]


def forward(img, x, y):
    H, W = img.shape
    x0, y0 = (np.floor(np.asarray(getattr(a, "data", a), float)).astype(int) for a in (x, y))
    fx, fy = x - x0, y - y0
    out = 0.0
    for i, wy in ((y0, 1 - fy), (y0 + 1, fy)):
        for j, wx in ((x0, 1 - fx), (x0 + 1, fx)):
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            pixels = img[np.clip(i, 0, H - 1), np.clip(j, 0, W - 1)]
            out = out + engine.where(inside, pixels, 0.0) * wy * wx
    return out


def grid_sample_backward(g, img, x, y):
    H, W = img.shape
    x0, y0 = np.floor(x), np.floor(y)
    fx, fy = x - x0, y - y0
    x0, y0 = x0.astype(int), y0.astype(int)
    dimg, pixels = np.zeros_like(img), []
    for i, wy in ((y0, 1 - fy), (y0 + 1, fy)):
        for j, wx in ((x0, 1 - fx), (x0 + 1, fx)):
            inside = (i >= 0) & (i < H) & (j >= 0) & (j < W)
            at = i[inside], j[inside]
            np.add.at(dimg, at, (g * wy * wx)[inside])
            pixels.append(np.where(inside, img[i % H, j % W], 0))
    p00, p01, p10, p11 = pixels
    dx = g * ((1 - fy) * (p01 - p00) + fy * (p11 - p10))
    dy = g * ((1 - fx) * (p10 - p00) + fx * (p11 - p01))
    return dimg, dx, dy


@mistake(
    "border-clamped",
    "a corner outside the image reads the nearest pixel",
    "Which value does the task give img outside the image?",
)
def grid_sample_backward(g, img, x, y):
    H, W = img.shape
    x0, y0 = np.floor(x), np.floor(y)
    fx, fy = x - x0, y - y0
    x0, y0 = x0.astype(int), y0.astype(int)
    dimg, pixels = np.zeros_like(img), []
    for i, wy in ((y0, 1 - fy), (y0 + 1, fy)):
        for j, wx in ((x0, 1 - fx), (x0 + 1, fx)):
            at = np.clip(i, 0, H - 1), np.clip(j, 0, W - 1)
            np.add.at(dimg, at, g * wy * wx)
            pixels.append(img[at])
    p00, p01, p10, p11 = pixels
    dx = g * ((1 - fy) * (p01 - p00) + fy * (p11 - p10))
    dy = g * ((1 - fx) * (p10 - p00) + fx * (p11 - p01))
    return dimg, dx, dy


@mistake(
    "partly-outside-dropped",
    "a point counts only if all four of its corners are inside",
    "One corner of a cell is outside. Do the other three corners still contribute to out?",
)
def grid_sample_backward(g, img, x, y):
    H, W = img.shape
    x0, y0 = np.floor(x), np.floor(y)
    fx, fy = x - x0, y - y0
    x0, y0 = x0.astype(int), y0.astype(int)
    dimg, pixels = np.zeros_like(img), []
    inside = (y0 >= 0) & (y0 + 1 < H) & (x0 >= 0) & (x0 + 1 < W)
    for i, wy in ((y0, 1 - fy), (y0 + 1, fy)):
        for j, wx in ((x0, 1 - fx), (x0 + 1, fx)):
            at = i[inside], j[inside]
            np.add.at(dimg, at, (g * wy * wx)[inside])
            read = np.zeros_like(x)
            read[inside] = img[at]
            pixels.append(read)
    p00, p01, p10, p11 = pixels
    dx = g * ((1 - fy) * (p01 - p00) + fy * (p11 - p10))
    dy = g * ((1 - fx) * (p10 - p00) + fx * (p11 - p01))
    return dimg, dx, dy
