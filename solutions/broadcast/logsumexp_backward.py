"""The gradient of logsumexp follows from the chain rule through log, sum and exp:

    ∂out/∂x_j = exp(x_j) / Σ_i exp(x_i) = softmax(x)_j

So dx is g times softmax. Logsumexp is a smooth maximum. Its gradient gives each entry's share of the sum of
exponentials. The shares sum to 1, so dx sums to g along the axis.

The quotient of exponentials overflows for entries near 1000. But Σ exp(x_i) is exp(out), so the share is
exp(x_j - out). Because x_j ≤ out, the exponent is never positive, and nothing can overflow. Subtracting `out`, the
logarithm of the sum, replaces the division. If a row has finite entries, an entry of -inf gives exp(-inf) = 0 exactly.

Cost: one subtraction, one exponential and one multiplication per element. Backward has no reduction; the forward has
two, a maximum and a sum. The input and the output are saved, and the output has only one number per row.

PyTorch: `LogsumexpBackward0` saves the input and the result and computes this formula. If a row contains only -∞, its
result is -∞ and its gradient is NaN, because exp(-∞ + ∞) is NaN. An entry of +∞ gets the gradient NaN. This code gives
NaN in both cases too.

Asked next:

- What is the second derivative? → For one row, the second derivative is the Jacobian of p = softmax(x), diag(p) - p pᵀ.
  This matrix is positive semidefinite, so logsumexp is convex. Logsumexp has no curvature along (1, ..., 1), because
  adding c to all of x raises `out` by c.
- x is [1000, 1000] in float16. Why do the shares sum to 1.21? → Near 1000, neighbouring float16 numbers are 0.5 apart,
  so `out`, 1000.69, is rounded to 1000.5. Each share becomes exp(-0.5) = 0.61. Keep `out` in float32, or recompute
  softmax from x - max(x). Then both shares are 0.5.
- The entries of a row are spread over several GPUs. What must the GPUs exchange for this backward? → For this backward
  the GPUs exchange nothing, because the forward has already combined the partial results into one `out`. With g and
  `out` each GPU computes its own part of dx.
- What does T · logsumexp(x/T) tend to as T falls to 0? → T · logsumexp(x/T) tends to the maximum of x. Its gradient,
  softmax(x/T), tends to 1 at the largest entry and to 0 elsewhere. If several entries are the largest, they share the 1
  equally.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Raise one entry by h. How much does `out` move if that entry is by far the largest, or by far the smallest?",
    "The gradient is softmax(x). Its denominator is exp(out), so a difference in the exponent replaces the division.",
    "`np.expand_dims` gives g and out their axis back. Take the exponential of a difference.",
)
EMPTY = True
CASES = [
    given("x[n,m>=1]", axis=-1),
    given("x[n,m]", axis=0, empty=False),
    given("x[k,n,m]", axis=1, empty=False),
    given("x[n]", empty=False),
    given("x[l,k,n,m]", axis=-3, x=normal(1000), smooth=False, empty=False, large=False, note="entries of ±1000"),
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
    "exp(1000) is inf, and inf/inf is NaN. Which given number can you subtract before exp?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x)
    return np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True)


@mistake(
    "one-hot-max",
    "only the largest entry affects `out`, as in max",
    "Two entries are nearly equal. Does `out` stay the same when the smaller entry rises?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * (x == x.max(axis=axis, keepdims=True))


@mistake(
    "softmax-jacobian",
    "the forward computed softmax",
    "You have differentiated once too often. What do the entries of dx sum to along the axis?",
)
def logsumexp_backward(g, x, out, axis=-1):
    p = np.exp(x - np.expand_dims(out, axis))
    g = np.expand_dims(g, axis)
    return p * (g - (g * p).sum(axis=axis, keepdims=True))


@mistake(
    "g-not-expanded",
    "g broadcasts to the shape of x by itself",
    "g lacks the reduced axis. Where does NumPy put a missing axis?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return g * np.exp(x - np.expand_dims(out, axis))


@mistake(
    "log-forgotten",
    "the outer log does not affect the gradient",
    "If g is 1 everywhere, dx must sum to 1 along the axis. Does your dx sum to 1?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * np.exp(x)


@mistake(
    "global-shift",
    "one maximum is enough for the whole array",
    "A row's entries are 1000 below the array's maximum. What do its exponentials sum to after your shift? Does "
    "an empty array have a maximum?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x - x.max())
    return np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True)


@mistake(
    "divides-by-log",
    "out is the sum of the exponentials",
    "Is out the sum of the exponentials, or the logarithm of that sum?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.expand_dims(g, axis) * np.exp(x) / np.expand_dims(out, axis)


@mistake(
    "share-of-the-rest",
    "an entry's slope is p(1 - p), as in a sigmoid",
    "Raise all entries by h. By how much does `out` rise? What do your entries of dx sum to along the axis?",
)
def logsumexp_backward(g, x, out, axis=-1):
    p = np.exp(x - np.expand_dims(out, axis))
    return np.expand_dims(g, axis) * p * (1 - p)


@mistake(
    "nan-cleared",
    "a NaN in the gradient means 0",
    "Your code computes inf/inf for the largest entry. Which share of g should that entry get?",
)
def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x)
    return np.nan_to_num(np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True))


@mistake(
    "hides-nan",
    "a NaN in the result is an error, which may be replaced by 0",
    "Let g be NaN in one row. How does the caller learn this from your dx?",
)
def logsumexp_backward(g, x, out, axis=-1):
    return np.nan_to_num(np.expand_dims(g, axis) * np.exp(x - np.expand_dims(out, axis)))


@mistake(
    "moved-back-wrong-way",
    "the call that moved the axis to the end also moves it back",
    "Let axis be 0 and x of shape (2, 3, 4). What shapes does x have after one and after two of your moves?",
)
def logsumexp_backward(g, x, out, axis=-1):
    x = np.moveaxis(x, axis, -1)
    return np.moveaxis(g[..., None] * np.exp(x - out[..., None]), axis, -1)


@mistake(
    "masked-is-1000",
    "-1000 can replace an entry of -inf",
    "The largest entry of a row is -1000, and the others are -inf. Which gradients do you get?",
)
def logsumexp_backward(g, x, out, axis=-1):
    out = np.expand_dims(out, axis)
    return np.expand_dims(g, axis) * np.exp(np.maximum(x, -1000) - np.maximum(out, -1000))


@mistake(
    "masked-is-0",
    "0 can replace an entry of -inf",
    "What is exp(-inf), and what is exp(0)? Does a masked entry affect `out`?",
)
def logsumexp_backward(g, x, out, axis=-1):
    x = np.where(np.isneginf(x), 0, x).astype(x.dtype)
    return np.expand_dims(g, axis) * np.exp(x - np.expand_dims(out, axis))
