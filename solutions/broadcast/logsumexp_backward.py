"""The chain rule through log, sum and exp:

    ∂out/∂x_j = exp(x_j) / Σ_i exp(x_i) = softmax(x)_j

so dx is g times softmax: logsumexp is a smooth maximum, and its gradient says how much each entry had a share in it.
The shares sum to 1, so dx sums to g along the axis.

The quotient overflows for entries near 1000. But Σ exp(x_i) is exp(out), so the share is exp(x_j - out), and
x_j ≤ out: the exponent is never positive and nothing can overflow. The forward has done the division already, in
logarithms. An entry of -inf beside finite ones gives exp(-inf) = 0, exactly.

Cost: a subtraction, an exponential and a multiplication an element, and no reduction, where the forward has two: a
maximum and a sum. Input and output are kept; the output is one number a row.

PyTorch: `LogsumexpBackward0` keeps input and result for this line. A row of nothing but -∞ has the value -∞ and the
gradient NaN, from exp(-∞ + ∞), and an entry of +∞ gets NaN; both are so in this code too.

Asked next:

- What is the second derivative? → That of a row is softmax's Jacobian, diag(p) - p pᵀ. It is positive semidefinite, so
  logsumexp is convex, and it is flat along (1, ..., 1): raising all of x by c raises `out` by c.
- x is [1000, 1000] in float16: why do the shares sum to 1.21? → `out`, 1000.69, is rounded to 1000.5, as float16
  numbers are 0.5 apart there, and each share comes out as exp(-0.5) = 0.61. Keep `out` in float32, or take softmax anew
  from x - max(x): both shares are 0.5.
- The entries of a row lie on several GPUs: what must they exchange for this backward? → Nothing beyond the forward,
  which has combined their partial results into one `out`. With g and `out` each computes its own part of dx.
- What does T · logsumexp(x/T) tend to as T falls to 0? → The maximum. Its gradient softmax(x/T) tends to 1 at the
  largest entry and 0 elsewhere; entries that tie share it equally.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Raise one entry by h. If it is by far the largest, how much does out move? And if it is by far the smallest?",
    "The gradient is softmax(x), and the sum it divides by is exp(out): divide inside the exponential.",
    "`np.expand_dims` gives g and out their axis back; the exponential is taken of a difference.",
)
CASES = [
    given("x[n,m>=1]", axis=-1),
    given("x[n,m]", axis=0, empty=False),
    given("x[k,n,m]", axis=1, empty=False),
    given("x[n]", empty=False),
    given("x[k,n,m]", axis=-2, x=normal(1000), smooth=False, empty=False, large=False, note="entries of ±1000"),
    given(
        "x[3,3]",
        axis=-1,
        x=[[-np.inf, 1.0, 2.0], [0.0, -np.inf, -np.inf], [-np.inf, -1000.0, -np.inf]],
        smooth=False,
        note="entries of -inf",
    ),
]


def forward(x, axis=-1):
    return engine.logsumexp(x, axis=axis)


def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * np.exp(x - np.expand_dims(out, axis))


@mistake(
    "no-shift",
    "exp of an entry cannot overflow",
    "exp(1000) is inf, and inf/inf is NaN. Which number you were given may be subtracted first?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x)
    return np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True)


@mistake(
    "one-hot-max",
    "only the largest entry counts, as in max",
    "Two entries are nearly equal: does raising the smaller one leave out where it is?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * (x == x.max(axis=axis, keepdims=True))


@mistake(
    "softmax-jacobian",
    "the gradient is that of softmax",
    "You have differentiated once too often. What do the entries of dx sum to along the axis?",
)
def logsumexp_backward(g, x, out, axis=-1):
    p = np.exp(x - np.expand_dims(out, axis))
    g = np.expand_dims(g, axis)
    return p * (g - (g * p).sum(axis=axis, keepdims=True))


@mistake(
    "g-not-expanded", "g broadcasts by itself", "g lost an axis in the forward. Where does NumPy put a missing one?"
)
def logsumexp_backward(g, x, out, axis=-1):
    return g * np.exp(x - np.expand_dims(out, axis))


@mistake("log-forgotten", "the outer log does not matter", "The shares must sum to 1 along the axis. Do yours?")
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * np.exp(x)


@mistake(
    "global-shift",
    "one maximum for the whole array is enough",
    "A row 1000 below the largest entry of another row: what is the sum of its exponentials?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x - x.max())
    return np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True)


@mistake(
    "divides-by-log",
    "out is the sum of the exponentials",
    "Is out that sum, or its logarithm? The shares must sum to 1 along the axis: do yours?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * np.exp(x) / np.expand_dims(out, axis)


@mistake(
    "share-of-the-rest",
    "an entry's slope is p(1 - p), as a sigmoid's is",
    "Raise all entries by h: by how much does out rise? What do your entries of dx sum to along the axis?",
)
def logsumexp_backward(g, x, out, axis=-1):
    p = np.exp(x - np.expand_dims(out, axis))
    return np.expand_dims(g, axis) * p * (1 - p)


@mistake(
    "nan-cleared",
    "a NaN means that nothing arrives, and may be cleared",
    "inf/inf stands where the largest entry is. What is its share?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x)
    return np.nan_to_num(np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True))
