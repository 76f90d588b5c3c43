"""In max pooling, the output of a window depends only on the window's largest pixel, with slope 1. That pixel therefore
receives the window's whole gradient. Every other pixel receives 0 from this window.

Three details are easy to miss. First, overlapping windows may have the same winner, that is, the same largest pixel.
This pixel collects several gradients, so use `+=` and never an assignment. Second, a tie is a kink. The convention here
is the first maximum in reading order, which is what `argmax` returns. Third, pixels that no window covers get 0.

One check follows: each entry of g goes to exactly one pixel, so the sum of `dx` is the sum of g.

Cost: this backward searches for the winners again. The search reads k² pixels of x per window, as in the forward. If
the forward saves the winners' indices, one per output, backward is a scatter-add with one addition per window and needs
no pixel of x.

PyTorch: `MaxPool2DWithIndicesBackward0` saves the indices as int64. The node also saves x, although it reads no value
of x again. A tie goes to the first maximum, as in this exercise. A NaN counts as larger than any number. If a window
holds several NaNs, the last one gets the gradient, whereas `argmax` finds the first. In PyTorch, padding counts as −∞
and not as 0. This exercise has no padding.

Asked next:

- After a ReLU many windows hold only zeros. Does it matter which zero wins? → No. The winner's gradient next passes
  through ReLU's backward. ReLU's slope is 0 if its output is 0, so the gradient stops there, whichever pixel received
  it.
- How would you write this backward without a loop over windows? → Take `sliding_window_view` and the `argmax` of each
  flattened window. Convert each `argmax` to the winner's row and column in x, then call `np.add.at`. A plain `dx[rows,
  cols] += g` adds only once for a repeated index, and winners repeat if windows overlap.
- On a GPU, should one thread handle a window or a pixel? → With one thread per window, two overlapping windows may have
  the same winner, so the threads must add atomically. With one thread per pixel, the thread inspects the windows that
  cover its pixel, at most ⌈k/stride⌉² of them. The thread adds the gradients of those windows whose saved index is that
  pixel. One thread per pixel needs no atomics and always adds in the same order.
- What is the derivative of this backward? → Away from ties the winners are constant, so dx is linear in g, and the
  derivative of dx with respect to x is 0. The backward of the backward therefore gathers: each window reads the
  cotangent of dx at its winner. The second backward uses the same indices again.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Move one pixel of a window slightly. Which pixel must you choose to move the window's maximum?",
    (
        "A window's whole gradient goes to its first maximum. A pixel that wins several windows collects all of "
        "their gradients."
    ),
    "Loop over `np.ndindex(g.shape)`. The winner is at `np.unravel_index(window.argmax(), window.shape)`.",
)


def shuffled(rng, shape, _):
    return rng.permutation(int(np.prod(shape))).reshape(shape) * 1.0


# Ties are at 0. The tolerance is measured by moving each input by a unit in its last place, which breaks other ties.
def zeros_and_less(rng, shape, _):
    return rng.integers(-1, 2, shape).clip(max=0) * 1.0


FAR_BELOW = -1e12 - np.array([[3.0, 1, 4, 8], [5, 9, 2, 6], [7, 12, 10, 16], [15, 13, 14, 11]])
CLOSE = -3 + 2.0**-30 * np.arange(36).reshape(6, 6)

CASES = [
    given("x[4,6]", x=shuffled, k=2, stride=2, note="windows side by side"),
    given("x[5,4]", x=shuffled, k=3, stride=1, note="windows overlap"),
    given("x[5,7]", x=shuffled, k=2, stride=2, note="a row and a column left over"),
    given("x[7,8]", x=shuffled, k=2, stride=3, note="gaps between windows"),
    # This case has as many windows as the earlier image of the same shape, but at other places.
    given("x[5,7]", x=shuffled, k=1, stride=3, note="windows of one pixel"),
    given("x[H>=5,W>=5]", x=shuffled, k=5, stride=5, large={"H": 250, "W": 400}, note="5 x 5 windows"),
    given("x[6,6]", x=zeros_and_less, k=3, stride=2, smooth=False, note="ties"),
    given("x[4,4]", x=FAR_BELOW, k=2, stride=2, smooth=False, note="pixels far below 0"),
    given("x[6,6]", x=CLOSE, k=3, stride=2, smooth=False, note="negative, nearly equal pixels"),
    given("x[2,4]", x=[[-3.0, -2.0, -0.5, -0.75], [-5.0, -4.0, -0.25, -0.5]], k=2, stride=2, note="negative pixels"),
    given("x[2,2]", x=np.zeros((2, 2)), k=2, stride=2, smooth=False, note="one window, all equal"),
]


def forward(x, k, stride):
    return engine.max_pool2d(x[None, None], k, stride)[0, 0]


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        top, left = y * stride, z * stride
        window = x[top : top + k, left : left + k]
        i, j = np.unravel_index(window.argmax(), window.shape)
        dx[top + i, left + j] += g[y, z]
    return dx


def parts(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        place = slice(y * stride, y * stride + k), slice(z * stride, z * stride + k)
        yield g[y, z], x[place], dx[place], dx


@mistake(
    "all-ties",
    "every pixel with the maximum receives the whole gradient",
    "Take a window of equal pixels. What do your gradients sum to, and what must they sum to?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share += gradient * (window == window.max())
    return dx


@mistake(
    "assign-overlap",
    "a pixel wins at most one window",
    "Suppose stride < k. How many windows can the largest pixel of the image win?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(window.argmax(), window.shape)] = gradient
    return dx


@mistake(
    "average-rule",
    "a window's gradient is spread evenly over its pixels",
    "Does the maximum of a window move when a small pixel moves?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, _, share, dx in parts(g, x, k, stride):
        share += gradient / (k * k)
    return dx


@mistake(
    "last-tie",
    "the last of several equal pixels wins",
    "Read the task again: which of several maxima gets the gradient?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        last = window.size - 1 - window[::-1, ::-1].argmax()
        share[np.unravel_index(last, window.shape)] += gradient
    return dx


@mistake(
    "ties-shared",
    "equal pixels share the gradient",
    "Sharing is the convention of `torch.maximum` and `amax`. Which convention does the task require?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        won = window == window.max()
        share += gradient * won / x.dtype.type(won.sum())
    return dx


@mistake(
    "stride-is-k",
    "the stride always equals k",
    "Which argument does your function never use? Where does window (0, 1) start?",
)
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        window = x[y * k : y * k + k, z * k : z * k + k]
        i, j = np.unravel_index(window.argmax(), window.shape)
        dx[y * k + i, z * k + j] += g[y, z]
    return dx


@mistake(
    "place-within-window",
    "`argmax` of a window gives the position in the image",
    "Take window (1, 1): which pixel of the image is its pixel (0, 0)?",
)
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for gradient, window, _, _ in parts(g, x, k, stride):
        dx[np.unravel_index(window.argmax(), window.shape)] += gradient
    return dx


@mistake(
    "wins-averaged",
    "a pixel that wins several windows gets the mean of their gradients",
    "A pixel wins two windows. If it moves by h, how many outputs move?",
)
def maxpool2d_backward(g, x, k, stride):
    dx, wins = np.zeros_like(x), np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        window = x[y * stride : y * stride + k, z * stride : z * stride + k]
        i, j = np.unravel_index(window.argmax(), window.shape)
        dx[y * stride + i, z * stride + j] += g[y, z]
        wins[y * stride + i, z * stride + j] += 1
    return dx / np.maximum(wins, 1)


@mistake(
    "row-for-column",
    "the position within a window is (column, row)",
    "Suppose a window has its maximum at the top right. Where does its gradient go?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        j, i = np.unravel_index(window.argmax(), window.shape)
        share[i, j] += gradient
    return dx


@mistake(
    "stride-is-k-clipped",
    "the stride always equals k, and windows end at the border",
    "Which argument does your function never use? Where does window (0, 1) start?",
)
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        window = x[y * k : y * k + k, z * k : z * k + k]
        if window.size:
            i, j = np.unravel_index(window.argmax(), window.shape)
            dx[y * k + i, z * k + j] += g[y, z]
    return dx


@mistake(
    "stride-is-1",
    "neighbouring windows start one pixel apart",
    "Which argument does your function never use? Where does window (0, 1) start?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, 1):
        share[np.unravel_index(window.argmax(), window.shape)] += gradient
    return dx


@mistake(
    "largest-magnitude",
    "the maximum is the pixel with the largest absolute value",
    "Suppose a window holds -3 and 1. Which of the two is the output?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(np.abs(window).argmax(), window.shape)] += gradient
    return dx


@mistake(
    "starts-at-0",
    "the maximum of a window is larger than 0",
    "All pixels of a window are negative or 0. Which pixel does your search find?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        if window.max() > 0:
            share[np.unravel_index(window.argmax(), window.shape)] += gradient
    return dx


@mistake(
    "ties-by-column",
    "the first of several equal pixels is found column by column",
    "Equal pixels are at (0, 1) and (1, 0) of a window. Which of them comes first in reading order?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share.T[np.unravel_index(window.T.argmax(), window.T.shape)] += gradient
    return dx


@mistake(
    "best-starts-at-0",
    "the search for the maximum may begin with 0",
    "All pixels of a window are negative. Which pixel beats the 0 that your search begins with?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(np.maximum(window, 0).argmax(), window.shape)] += gradient
    return dx


@mistake(
    "best-starts-too-high",
    "no pixel is below the number that the search begins with",
    "All pixels of a window are near -1e12. Which pixel beats the number that your search begins with?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(np.maximum(window, -1e9).argmax(), window.shape)] += gradient
    return dx


@mistake(
    "nearly-equal-ties",
    "a pixel that is nearly the maximum ties with it",
    "Two pixels of a window differ by 1e-9. Which of them is the output?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(np.isclose(window, window.max()).argmax(), window.shape)] += gradient
    return dx


@mistake(
    "best-starts-at-minus-1",
    "no pixel is below -1",
    "All pixels of a window are below -1. Which pixel beats the -1 that your search begins with?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(np.maximum(window, -1).argmax(), window.shape)] += gradient
    return dx
