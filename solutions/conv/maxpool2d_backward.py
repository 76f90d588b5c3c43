"""Each window's output moves with one pixel of it, its maximum, and with slope 1. So the gradient of the window goes to
that pixel, whole; every other pixel of the window gets 0 from it.

Three things are easily lost. Windows may overlap and have the same winner, which then earns twice: `+=`, never an
assignment. A tie is a kink, and PyTorch's convention is the first maximum in reading order, which is what `argmax`
returns. And pixels that no window covers get 0.

Work grows with the windows times k², as in the forward. Frameworks keep the winners' indices from the forward
(`return_indices`), so that their backward is a scatter-add and the image need not be kept. `dx` sums to the sum of g.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Move one pixel of a window a little: for which of them does the window's maximum move?",
    "The whole gradient of a window goes to its first maximum; a pixel may win several windows, and is paid for each.",
    "`np.ndindex(g.shape)` for the windows, `np.unravel_index(window.argmax(), window.shape)` for the winner.",
)


def shuffled(rng, shape, _):
    return rng.permutation(int(np.prod(shape))).reshape(shape) * 1.0


# Ties are at 0: a tolerance is measured by moving each input by a unit in its last place, and that parts other ties.
def zeros_and_less(rng, shape, _):
    return rng.integers(-1, 2, shape).clip(max=0) * 1.0


CASES = [
    given("x[4,6]", x=shuffled, k=2, stride=2, note="windows side by side"),
    given("x[5,4]", x=shuffled, k=3, stride=1, note="windows overlap"),
    given("x[5,7]", x=shuffled, k=2, stride=2, note="a row and a column left over"),
    given("x[7,8]", x=shuffled, k=2, stride=3, note="gaps between windows"),
    given("x[3,4]", x=shuffled, k=1, stride=1, note="windows of one pixel"),
    given("x[6,6]", x=zeros_and_less, k=3, stride=2, smooth=False, note="ties"),
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
    "every pixel that holds the maximum earns the gradient",
    "A window of equal pixels: what do your four gradients sum to, and what must they?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share += gradient * (window == window.max())
    return dx


@mistake("assign-overlap", "a pixel wins one window", "Which windows does the largest pixel win when stride < k?")
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        share[np.unravel_index(window.argmax(), window.shape)] = gradient
    return dx


@mistake(
    "average-rule",
    "a window's gradient is spread over its pixels",
    "Does the maximum of a window move when a small pixel does?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, _, share, dx in parts(g, x, k, stride):
        share += gradient / (k * k)
    return dx


@mistake(
    "last-tie",
    "of equal pixels the last one wins",
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
    "That is the convention of `torch.maximum` and `amax`. Which one does the task ask for?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        won = window == window.max()
        share += gradient * won / x.dtype.type(won.sum())
    return dx


@mistake(
    "stride-is-k",
    "windows lie side by side",
    "Which argument of your function do you never use? Where does window (0, 1) start?",
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
    "`argmax` of a window gives the place in the image",
    "Window (1, 1): which pixel of the image is its pixel (0, 0)?",
)
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for gradient, window, _, _ in parts(g, x, k, stride):
        dx[np.unravel_index(window.argmax(), window.shape)] += gradient
    return dx


@mistake(
    "wins-averaged",
    "a pixel that wins several windows gets their mean",
    "Move that pixel by h: how many outputs move?",
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
    "the place within a window is (column, row)",
    "Let a window have its maximum at the top right. Where does its gradient go?",
)
def maxpool2d_backward(g, x, k, stride):
    for gradient, window, share, dx in parts(g, x, k, stride):
        j, i = np.unravel_index(window.argmax(), window.shape)
        share[i, j] += gradient
    return dx
