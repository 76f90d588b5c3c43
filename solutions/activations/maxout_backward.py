"""Each output is one of k elements of x, the winner. If the winner moves by a little, the output moves by the same
amount. The other elements do not move the output. So the winner gets g and the others get 0.

The layout decides which elements compete. Reshape each row to (k, m): element j of piece i is then at [i, j], and
`argmax` along the axis of the pieces finds the winners. `argmax` returns the first maximum, as the task asks.

One check follows. The k gradients that belong to one output sum to g, at ties too, because moving all k elements by h
moves the output by h.

Cost: k - 1 comparisons per output, and one write per element of x. The backward does not need the values of x. One
index per output is enough. For k up to 256, this index fits into one byte.

PyTorch: there is no maxout, but `x.unflatten(1, (k, m)).max(dim=1)` computes it. `MaxBackward0` saves the indices as
int64 and gives all of g to the index that the forward returned, the first maximum. `amax(dim=1)` saves x and its
result, and shares g equally among tied pieces. `jnp.max` also shares g equally.

Asked next:

- The pieces come from a linear layer. Which of its weights get a gradient from one example? → For each output, only the
  weights of the winning piece. A piece that never wins is never trained.
- Which activations are a maxout of two pieces? → ReLU is max(z, 0), the absolute value is max(z, -z), and a leaky ReLU
  with alpha ≤ 1 is max(z, alpha · z).
- Finite differences disagree with your backward at a tie. Is your backward wrong? → No. A central difference moves one
  of two tied pieces by ±h. The maximum moves for one sign only, so the difference gives 1/2. The task's convention
  gives 1 and 0.
- What is the JVP? → Take the tangents at the winning indices: `np.take_along_axis(v, winner[:, None], axis=1)[:, 0]`
  for a tangent v of shape (N, k, m) and `winner` of shape (N, m). The backward scatters to the indices from which the
  JVP gathers.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Which k elements of a row compete for out[n, 0]? Which of these elements move out[n, 0]?",
    "Of the k elements that compete for an output, the first maximum gets that output's g. All others get 0.",
    "Reshape to (N, k, m). Find `winner` with `argmax`, and fill zeros with `np.put_along_axis(dx, ..., axis=1)`.",
)


def no_ties(rng, shape, _):
    return 0.5 * rng.permutation(shape[0] * shape[1]).reshape(shape) - 3


def ties(rng, shape, _):
    return rng.choice([-3.0, -2.0, -1.0], shape)


NEARLY_EQUAL = [[1 - 1e-9, 2.0, 1.0, 2 - 1e-9], [-3.0, 0.0, -3 + 1e-9, 1e-9]]
CASES = [
    given("x[N,4]", x=no_ties, k=2, note="two pieces of two"),
    given("x[N,6]", x=no_ties, k=3, large=False, note="three pieces of two"),
    given("x[N,6]", x=no_ties, k=2, large=False, note="two pieces of three"),
    given("x[N,3]", x=no_ties, k=3, large=False, note="pieces of one element"),
    given("x[N,3]", x=no_ties, k=1, large=False, note="one piece"),
    given("x[1,4]", x=[[-1.0, 2.0, -1.0, 2.0]], k=2, smooth=False, large=False, note="equal pieces"),
    given("x[4,6]", x=ties, k=3, smooth=False, large=False, note="ties"),
    given("x[2,4]", x=[[0.0, -1.0, -2.0, -3.0], [-1.0, 2.0, 0.0, -4.0]], k=2, smooth=False, large=False, note="0 wins"),
    given("x[2,4]", x=NEARLY_EQUAL, k=2, smooth=False, large=False, note="nearly equal pieces"),
    given("x[1,4]", x=[[-3e12, -4e12, -2e12, -5e12]], k=2, smooth=False, large=False, note="pieces far below 0"),
]


def forward(x, k):
    pieces = engine.reshape(x, (len(x), k, -1))
    winner = engine.argmax(pieces, axis=1)
    return engine.take_along_axis(pieces, winner[:, None], axis=1)[:, 0]


def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    winner = pieces.argmax(axis=1)
    dx = np.zeros_like(pieces)
    np.put_along_axis(dx, winner[:, None], g[:, None], axis=1)
    return dx.reshape(x.shape)


@mistake(
    "all-ties",
    "each piece with the maximum gets all of g",
    "Move all tied elements by h. By how much does `out` move, and what do your gradients sum to?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    best = pieces.max(axis=1, keepdims=True)
    return np.where(pieces == best, g[:, None], 0).reshape(x.shape)


@mistake(
    "ties-shared",
    "tied pieces share g equally, as in `amax`",
    "Which of several tied pieces gets the gradient by the task's rule?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    best = pieces == pieces.max(axis=1, keepdims=True)
    return (best * (g / best.sum(axis=1).astype(g.dtype))[:, None]).reshape(x.shape)


@mistake(
    "last-tie",
    "the last of several tied pieces wins",
    "Which of several tied pieces gets the gradient by the task's rule?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    dx = np.zeros_like(pieces)
    winner = k - 1 - pieces[:, ::-1].argmax(axis=1)
    np.put_along_axis(dx, winner[:, None], g[:, None], axis=1)
    return dx.reshape(x.shape)


@mistake(
    "layout",
    "neighbouring elements of a row compete",
    "Let k = 2 and m = 2. Which element competes with x[n, 0]: x[n, 1] or x[n, 2]?",
)
def maxout_backward(g, x, k):
    groups = x.reshape(len(x), -1, k)
    dx = np.zeros_like(groups)
    np.put_along_axis(dx, groups.argmax(axis=2)[..., None], g[..., None], axis=2)
    return dx.reshape(x.shape)


@mistake(
    "every-piece",
    "each piece gets g, as in a sum",
    "Does `out` move if an element below the maximum moves?",
)
def maxout_backward(g, x, k):
    return np.tile(g, (1, k))


@mistake(
    "one-winner-per-row",
    "one piece wins the whole row",
    "Can different outputs of a row come from different pieces?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    dx = np.zeros_like(pieces)
    rows = np.arange(len(x))
    winner = pieces.max(axis=2).argmax(axis=1)
    dx[rows, winner] = g
    return dx.reshape(x.shape)


@mistake(
    "zero-is-a-piece",
    "0 takes part in the maximum, as in ReLU",
    "All pieces are negative. What is out, and does it move with the largest piece?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    dx = np.zeros_like(pieces)
    winner = pieces.argmax(axis=1)[:, None]
    open_gate = np.take_along_axis(pieces, winner, axis=1) > 0
    np.put_along_axis(dx, winner, g[:, None] * open_gate, axis=1)
    return dx.reshape(x.shape)


@mistake(
    "mean-over-pieces",
    "g is spread evenly over the pieces",
    "Does `out` move if an element below the maximum moves?",
)
def maxout_backward(g, x, k):
    return np.tile(g / k, (1, k))


@mistake(
    "nearly-equal-ties",
    "a piece that is nearly the maximum ties with it",
    "Two pieces differ by 1e-9. Does the forward's maximum treat them as equal?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    winner = np.isclose(pieces, pieces.max(axis=1, keepdims=True)).argmax(axis=1)
    dx = np.zeros_like(pieces)
    np.put_along_axis(dx, winner[:, None], g[:, None], axis=1)
    return dx.reshape(x.shape)


@mistake(
    "best-starts-too-high",
    "no element is below the number that the search begins with",
    "All pieces are near -1e12. Which piece beats the number that your search begins with?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    winner = np.maximum(pieces, -1e9).argmax(axis=1)
    dx = np.zeros_like(pieces)
    np.put_along_axis(dx, winner[:, None], g[:, None], axis=1)
    return dx.reshape(x.shape)


@mistake(
    "best-starts-at-0",
    "the running maximum may begin at 0",
    "All pieces are negative. What is the maximum, and which piece equals it?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    dx = np.zeros_like(pieces)
    winner = pieces.argmax(axis=1)[:, None]
    found = np.take_along_axis(pieces, winner, axis=1) >= 0
    np.put_along_axis(dx, winner, g[:, None] * found, axis=1)
    return dx.reshape(x.shape)


@mistake(
    "piece-0-unless-positive",
    "the search may begin with piece 0 and the number 0",
    "All pieces are negative. Which piece does your search return?",
)
def maxout_backward(g, x, k):
    pieces = x.reshape(len(x), k, -1)
    winner = np.maximum(pieces, 0).argmax(axis=1)
    dx = np.zeros_like(pieces)
    np.put_along_axis(dx, winner[:, None], g[:, None], axis=1)
    return dx.reshape(x.shape)
