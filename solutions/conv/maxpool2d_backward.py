"""Each window's output moves with one pixel of it, its maximum, and with slope 1. So the gradient of the window goes to
that pixel, whole; every other pixel of the window gets 0 from it.

Three things are easily lost. Windows may overlap and have the same winner, which then earns twice: `+=`, never an
assignment. A tie is a kink, and the convention here is the first maximum in reading order, which is what `argmax`
returns. And pixels that no window covers get 0. A quick check: every gradient is handed to one pixel, so `dx` sums to
the sum of g.

Cost: this backward looks for the winners again, k² pixels a window as in the forward, and for that keeps x. With the
winners' indices kept from the forward, one an output, it is a scatter-add of one addition a window and needs no pixel
of x.

PyTorch: `MaxPool2DWithIndicesBackward0` keeps the indices, as int64, and x too, although it reads no value of x again.
A tie goes to the first maximum, as here. A NaN counts as larger than any number, and of several in a window the last
one gets the gradient, where `argmax` finds the first. Padding, which this exercise leaves out, counts as −∞ there and
not as 0.

Asked next:

- After a ReLU many windows hold nothing but zeros. Does it matter which of them wins? → No: the winner's gradient next
  meets ReLU's backward, whose slope is 0 where its output is 0, so it is stopped whichever pixel it was given to.
- How would you write it without a loop over windows? → `sliding_window_view`, `argmax` over each flattened window, the
  winners' rows and columns in x, then `np.add.at`. A plain `dx[rows, cols] += g` adds once for a repeated index, and
  where windows overlap winners repeat.
- On a GPU, one thread a window or one thread a pixel? → A thread a window has to add atomically where windows overlap,
  as two may have one winner. A thread a pixel looks at the at most ⌈k/stride⌉² windows that cover it and adds the
  gradients of those whose kept index is its own: no atomics, and always the same order of additions.
- What is the derivative of this backward? → Away from ties the winners are constants, so dx is linear in g and its
  derivative in x is 0. The backward of the backward therefore gathers: each window reads the cotangent of dx at its
  winner, which takes the indices once more.
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


CLOSE = -3 + 2.0**-30 * np.arange(36).reshape(6, 6)

CASES = [
    given("x[4,6]", x=shuffled, k=2, stride=2, note="windows side by side"),
    given("x[5,4]", x=shuffled, k=3, stride=1, note="windows overlap"),
    given("x[5,7]", x=shuffled, k=2, stride=2, note="a row and a column left over"),
    given("x[7,8]", x=shuffled, k=2, stride=3, note="gaps between windows"),
    # As many windows as in another image of this shape, at other places.
    given("x[5,7]", x=shuffled, k=1, stride=3, note="windows of one pixel"),
    given("x[H>=5,W>=5]", x=shuffled, k=5, stride=5, empty=False, large={"H": 250, "W": 400}, note="5 x 5 windows"),
    given("x[6,6]", x=zeros_and_less, k=3, stride=2, smooth=False, note="ties"),
    given("x[6,6]", x=CLOSE, k=3, stride=2, smooth=False, note="negative pixels, all but equal"),
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
