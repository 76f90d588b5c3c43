"""The forward multiplied X̂ by Ŵᵀ, so the gradients of these two factors follow the rule for a matrix product:

    dX̂ = g Ŵ        dŴ = gᵀ X̂

The factors in these formulas are the dequantised arrays, because the forward multiplied these. The straight-through
estimator passes dX̂ to x and dŴ to w unchanged, because it treats the quantisation as the identity. The true derivative
of the rounding is 0 almost everywhere.

Dequantising needs the scale of each element. A scale of sx belongs to `block` neighbouring columns, so repeat each
column of sx `block` times. A scale of sw belongs to a square of `block` rows and columns, so repeat its rows and its
columns. `np.repeat` repeats each entry in place. `np.tile` would repeat the whole array, and pair the codes with the
scales of other blocks.

A code of ±448 is not clipped. The scale is chosen so that the largest number of a strip just fits, so each strip that
is not 0 holds such a code. The element with this code gets its full gradient.

Cost: two matrix products, each as large as the forward's, and one product per element to dequantise. The forward saves
one byte per code and one scale per strip or block, about half of what a bfloat16 layer saves. An FP8 kernel multiplies
the codes, and applies the scales to the partial sums of the blocks.

PyTorch: `F.scaled_mm` multiplies FP8 codes with scales. Its recipes include `BlockWise1x128` and `BlockWise128x128`.
The function has no derivative, and in PyTorch 2.13 its backward raises an error. So FP8 layers define their own
autograd function. A cast to `torch.float8_e4m3fn` and back is differentiable. Its backward casts the gradient in the
same way, so it also rounds the gradient to FP8: 0.3 becomes 0.3125. To avoid that, write `x + (dequantised -
x).detach()`. The cast saturates: on the CPU, 1000 becomes 448.

Asked next:

- Why does w have square blocks while x has strips? → An FP8 product sums over one axis, and its scales must be constant
  along short pieces of this axis. The forward sums over d, and dx sums over k. A square block is a valid piece in both
  directions, so one quantised w serves both products. Activations have outliers, so x uses the finer strips.
- dw sums over N. What does this mean for the strips of x? → A strip runs along d, so its scale changes from row to row
  of the sum. For a product in FP8, x is quantised again, with strips along N.
- How large is the relative rounding error of one number? → FP8 E4M3 has three mantissa bits, so the error is at most
  1/16 of a normal number, 6 per cent. Codes below 2^-6 are subnormal, with an absolute error of at most 2^-10.
- Suppose that g is quantised too. What changes? → E5M2 has a wider range, up to 57344, and is often chosen for g. The
  backward is then no longer linear in g, and tiny entries of a block become 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Which two matrices did the forward multiply? What does the straight-through estimator do with their gradients?",
    "dx is g times the dequantised w, and dw is gᵀ times the dequantised x. Repeat each scale over its strip or block.",
    "Dequantise x with `np.repeat(sx, block, axis=...)`. w needs two repeats. Then take the two matrix products.",
)
WRT = ("x", "w")
GRID = 1 / 64


def spread(rng, shape, sizes):
    """Draw multiples of 1/64 whose size changes from block to block, by factors of up to 1000."""
    rows, columns = shape
    n = 2 if columns % 2 == 0 else 3
    coarse = rng.choice([2.0, 20.0, 2000.0], (rows, -(-columns // n)))
    return np.round(rng.uniform(-1, 1, shape) * np.repeat(coarse, n, axis=1)[:, :columns]) * GRID


def with_zeros(rng, shape, sizes):
    """Draw multiples of 1/64 with a block of zeros in the upper left corner."""
    values = np.round(rng.normal(0, 50, shape)) * GRID
    values[:2, :2] = 0
    return values


def even(rng, shape, sizes):
    return np.round(rng.normal(0, 100, shape)) * GRID


CASES = [
    given("x[N,4] w[4,4]", x=spread, w=spread, block=2, large=False, note="2 x 2 blocks"),
    given("x[N,6] w[3,6]", x=spread, w=spread, block=3, large=False, note="3 x 3 blocks"),
    given("x[N,2] w[6,2]", x=even, w=even, block=2, large=False, note="one strip per row"),
    given("x[3,4] w[2,4]", x=with_zeros, w=with_zeros, block=2, note="zeros"),
    given("x[1,2] w[2,2]", x=[[3.0, -1.25]], w=[[0.5, 1.0], [2.0, -7.0]], block=2, note="one block"),
    given("x[N,128] w[64,128]", x=even, w=even, block=32, smooth=False, large={"N": 700}, note="32 x 32 blocks"),
]


def e4m3(v):
    """Round to the nearest FP8 number with four exponent bits and three mantissa bits, up to ±448."""
    exponent = np.floor(np.log2(np.maximum(np.abs(v), 2.0**-6)))
    unit = 2.0 ** (exponent - 3)
    return np.clip(np.round(v / unit) * unit, -448, 448)


def largest(v, rows, columns):
    """Return the largest magnitude of each block of `rows` x `columns`."""
    a, b = v.shape
    return np.abs(v).reshape(a // rows, rows, b // columns, columns).max(axis=(1, 3))


def quantised(v, rows, columns):
    """Return codes, and scales for blocks of `rows` x `columns`, computed in float64 for every dtype of v."""
    v = np.asarray(v, dtype=float)
    m = largest(v, rows, columns)
    scale = np.where(m > 0, m / 448, 1.0)
    return e4m3(v / expanded(scale, rows, columns)), scale


def expanded(scale, rows, columns):
    return np.repeat(np.repeat(scale, rows, axis=0), columns, axis=1)


def dequantised(v, rows, columns):
    codes, scale = quantised(v, rows, columns)
    return codes * expanded(scale, rows, columns)


def saved(x, w, block):
    (xq, sx), (wq, sw) = quantised(x, 1, block), quantised(w, block, block)
    return {name: v.astype(x.dtype) for name, v in (("xq", xq), ("sx", sx), ("wq", wq), ("sw", sw))}


def forward(x, w, block):
    # All inputs are multiples of GRID. Rounding to this grid removes the tiny steps of finite differences, so the error
    # of the quantisation is a constant for both oracles. The surrogate then has the forward's value and slope 1.
    at_x, at_w = (np.round(np.asarray(engine.stop_gradient(v)) / GRID) * GRID for v in (x, w))
    return (x + (dequantised(at_x, 1, block) - at_x)) @ (w + (dequantised(at_w, block, block) - at_w)).T


def fp8_block_linear_backward(g, x, w, xq, sx, wq, sw, block):
    x_hat = xq * np.repeat(sx, block, axis=1)
    w_hat = wq * np.repeat(np.repeat(sw, block, axis=0), block, axis=1)
    return g @ w_hat, g.T @ x_hat


MISTAKES = [
    edit(
        "unquantised-operands",
        "the backward uses x and w in high precision",
        "Which two matrices did the forward multiply?",
        "g @ w_hat, g.T @ x_hat -> g @ w, g.T @ x",
    ),
    edit(
        "scales-dropped",
        "the codes are the numbers",
        "What is a code times its scale?",
        "g @ w_hat, g.T @ x_hat -> g @ wq, g.T @ xq",
    ),
    edit(
        "largest-counts-as-clipped",
        "a code of ±448 was clipped",
        "Why does every strip hold a code of ±448? Was this number too large for the strip's scale?",
        "g @ w_hat, g.T @ x_hat -> (g @ w_hat) * (np.abs(xq) < 448), (g.T @ x_hat) * (np.abs(wq) < 448)",
    ),
    edit(
        "true-derivative",
        "the backward must return the true derivative of the rounding",
        "Which slope does the straight-through estimator use for the quantisation?",
        "g @ w_hat, g.T @ x_hat -> np.zeros_like(x), np.zeros_like(w)",
    ),
    edit(
        "tile",
        "`np.tile` repeats each scale over its block",
        "Print `np.tile([1, 2], 2)` and `np.repeat([1, 2], 2)`. Which one gives neighbours the same scale?",
        "np.repeat(sx, block, axis=1) -> np.tile(sx, (1, block))",
        "np.repeat(np.repeat(sw, block, axis=0), block, axis=1) -> np.tile(sw, (block, block))",
    ),
    edit(
        "scale-inverted",
        "a code is the number times its scale",
        "A strip has the largest magnitude 2. Is its scale large or small, and what is its largest code?",
        "xq * -> xq /",
        "wq * -> wq /",
    ),
    edit(
        "gradient-of-codes",
        "the gradient with respect to the codes is the answer",
        "A code is x divided by its scale. Which factor leads from the gradient of the code to the gradient of x?",
        "g @ w_hat, g.T @ x_hat -> "
        "g @ w_hat * np.repeat(sx, block, axis=1), "
        "g.T @ x_hat * np.repeat(np.repeat(sw, block, axis=0), block, axis=1)",
    ),
    edit(
        "scaled-twice",
        "the gradient passes only through the division by the scale, and not through the multiplication",
        "Quantising divides by the scale, and dequantising multiplies by it. What is left of these two factors?",
        "g @ w_hat, g.T @ x_hat -> "
        "g @ w_hat / np.repeat(sx, block, axis=1), "
        "g.T @ x_hat / np.repeat(np.repeat(sw, block, axis=0), block, axis=1)",
    ),
]


@mistake(
    "row-scales-for-weights",
    "w has a scale for each row and `block` columns, like x",
    "How many scales does one square block of w have?",
)
def fp8_block_linear_backward(g, x, w, xq, sx, wq, sw, block):
    x_hat = xq * np.repeat(sx, block, axis=1)
    m = np.abs(w).reshape(len(w), -1, block).max(axis=2)
    w_hat = wq * np.repeat(m / 448, block, axis=1)
    return g @ w_hat, g.T @ x_hat
