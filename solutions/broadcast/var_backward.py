"""The variance is out = Σ_i (x_i - μ)² / (n - ddof). An element x_j enters this sum twice, in its own distance from the
mean and in the mean μ itself:

    ∂out/∂x_j = 2/(n - ddof) · [ (x_j - μ) - (1/n) Σ_i (x_i - μ) ]

The second term is the path through the mean. Distances from the mean sum to 0, so this term is 0. (The mean minimises
the sum of squared distances, so the derivative of that sum with respect to μ is 0.) What remains is dx_j = 2 (x_j -
μ)/(n - ddof) · g. The path through the mean *cancels* here, but in general it cannot be ignored. In layer normalisation
this path does not cancel.

Two checks follow. Adding a constant to all of x does not change the variance, so dx sums to 0 along the axis. A
constant x gives dx = 0.

The forward must also subtract the mean before squaring. If x has an offset of a million, the mean of x² minus the
squared mean has no correct digit in float32.

Cost: two passes over x, one for the mean and one for the result, as in the forward. x is saved. Saving the mean too,
one number per row, would avoid the first pass.

PyTorch: `VarBackward0` saves only x and recomputes the mean. `torch.var` divides by n - 1 by default, and `np.var`
divides by n. With the divisor n - 1 = 0, a single element has variance NaN and gradient NaN in PyTorch. In this
exercise a single element has variance 0 and gradient 0 if ddof = 0. `torch.std` gives gradient 0 if the deviation is 0,
whereas `x.var().sqrt()` gives NaN for a constant x.

Asked next:

- What is the gradient of the standard deviation σ, and for which x does its formula fail? → Divide the variance's
  gradient by 2σ: dx = (x - μ)/((n - ddof) σ) · g. For a constant x this formula is 0/0. With an ε under the square
  root, as in normalisation layers, the gradient of a constant x is 0.
- Why does the path through the mean stay in layer normalisation? → In layer normalisation each distance x_i - μ is an
  output with its own weight g_i. The path through the mean contributes minus the mean of the g_i, which in general is
  not 0. Only the unweighted distances sum to 0.
- What is the second derivative? → For one row the second derivative is 2/(n - ddof) · (I - J/n), where I is the
  identity and J has only ones. The second derivative is constant, because the variance is quadratic. It maps (1, ...,
  1) to 0, because a shift of all of x does not change the variance.
- The elements are spread over two GPUs. What do the GPUs exchange? → In the forward the GPUs exchange counts and sums
  for the mean, then the sums of squared distances from the mean. Backward needs no further exchange: with μ, n and g
  each GPU computes its own part.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    (
        "One element enters the variance twice: in its own distance from the mean, and in the mean. What does each "
        "path contribute?"
    ),
    (
        "The path through the mean vanishes, because distances from a mean sum to 0. What remains is the slope of a "
        "square."
    ),
    "`np.expand_dims` gives g its axis back. The mean along the axis needs `keepdims=True`; n is `x.shape[axis]`.",
)
EMPTY = True
CASES = [
    given("x[n,m]", axis=-1, empty=False),
    given("x[n,m]", axis=0, empty=False),
    given("x[l,k,n,m]", axis=-3, empty=False),
    given("x[k,n,m]", axis=0, empty=False),
    given("x[n]", empty=False),
    # With ddof = 1 a single element has no variance, so the axis has a fixed size.
    given("x[n,4]", axis=-1, ddof=1),
    given("x[k,5,n]", axis=-2, ddof=2),
    given("x[n,m]", axis=-1, x=normal(mean=1e6), empty=False, large=False, note="an offset of a million"),
    given("x[3]", x=[0.0, 1e-7, 3e-7], note="almost no spread"),
]


def forward(x, axis=-1, ddof=0):
    return engine.var(x, axis=axis, ddof=ddof)


def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake("n-not-ddof", "the divisor is always n", "Which argument does your function never use?")
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / x.shape[axis] * np.expand_dims(g, axis)


@mistake(
    "no-center",
    "the variance is the mean of the squares",
    "Shift all of x by the same amount: does the variance move? Does dx sum to 0 along the axis?",
)
def var_backward(g, x, axis=-1, ddof=0):
    return 2 * x / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake("no-two", "the slope of u² is u", "Differentiate u² with pen and paper.")
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake(
    "g-not-expanded",
    "g broadcasts to the shape of x by itself",
    "g lacks the reduced axis. Where does NumPy put a missing axis?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - ddof) * g


@mistake(
    "no-divisor",
    "the variance is a sum, not a mean",
    "Duplicate every element: should the entries of dx stay the same?",
)
def var_backward(g, x, axis=-1, ddof=0):
    return 2 * (x - x.mean(axis=axis, keepdims=True)) * np.expand_dims(g, axis)


@mistake(
    "whole-mean",
    "the whole array has only one mean",
    "How many variances did the forward compute, and over which elements?",
)
def var_backward(g, x, axis=-1, ddof=0):
    return 2 * (x - x.mean()) / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake(
    "deviation",
    "the forward computed the standard deviation",
    "Make x ten times as large. Does the slope of a variance stay the same?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    deviation = x.std(axis=axis, ddof=ddof, keepdims=True)
    deviation[deviation == 0] = 1
    return centred / ((x.shape[axis] - ddof) * deviation) * np.expand_dims(g, axis)


@mistake(
    "first-axis-counts",
    "each variance averages len(x) elements",
    "x is 3 by 5 and axis is 1: over how many elements is one variance taken, and what is len(x)?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (len(x) - ddof) * np.expand_dims(g, axis)


@mistake(
    "all-elements-count",
    "each variance averages all elements of x",
    "x is 3 by 5 and axis is 1: how many variances are there, and over how many elements is each one taken?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.size - ddof) * np.expand_dims(g, axis)


@mistake(
    "ddof-is-a-flag",
    "ddof is always 0 or 1",
    "With ddof = 2, by what does the forward divide? By what does your code divide?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - bool(ddof)) * np.expand_dims(g, axis)


@mistake(
    "mean-moves",
    "an element changes only its own distance from the mean, by 1 - 1/n",
    "If x_i moves, the other distances move too. Sum the effects on all n squares: does a factor 1 - 1/n remain?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    own = 2 * centred * (1 - 1 / max(x.shape[axis], 1))
    return own / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake(
    "ddof-in-mean",
    "the mean is divided by n - ddof too",
    "By what does the forward divide to get the mean? Does dx sum to 0 along the axis?",
)
def var_backward(g, x, axis=-1, ddof=0):
    divisor = x.shape[axis] - ddof
    centred = x - x.sum(axis=axis, keepdims=True) / divisor
    return 2 * centred / divisor * np.expand_dims(g, axis)


@mistake(
    "ddof-added",
    "the divisor is n + ddof",
    "With n = 4 and ddof = 1, by what does the forward divide? By what does your code divide?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] + ddof) * np.expand_dims(g, axis)


@mistake(
    "moved-back-wrong-way",
    "the call that moved the axis to the end also moves it back",
    "Let axis be 0 and x of shape (2, 3, 4). What shapes does x have after one and after two of your moves?",
)
def var_backward(g, x, axis=-1, ddof=0):
    x = np.moveaxis(x, axis, -1)
    centred = x - x.mean(axis=-1, keepdims=True)
    return np.moveaxis(2 * centred / (x.shape[-1] - ddof) * g[..., None], axis, -1)
