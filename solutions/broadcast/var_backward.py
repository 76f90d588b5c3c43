"""Write out = Σ_i (x_i - μ)² / (n - ddof). x_j enters twice: in its own distance, and in the mean μ.

    ∂out/∂x_j = 2/(n - ddof) · [ (x_j - μ) - (1/n) Σ_i (x_i - μ) ]

The second term is the path through the mean, and Σ_i (x_i - μ) = 0: at its minimum a parabola is flat, and the mean is
where the sum of squares is smallest. So only dx_j = 2 (x_j - μ)/(n - ddof) · g is left. It *cancels*; it is not that it
could be ignored, as layer normalisation shows, where it stays.

Two checks: shifting all of x changes nothing, so dx sums to 0 along the axis; and a constant x gives 0. The forward
must subtract the mean first too: with an offset of a million, mean of x² minus squared mean has no right digit left in
float32.

Cost: two passes over x, one for the mean and one for the result, as in the forward. x is kept; keeping the mean as
well, one number a row, would save the first pass.

PyTorch: `VarBackward0` keeps x alone and computes the mean again. `torch.var` divides by n - 1 unless told otherwise,
`np.var` by n; so one element has variance and gradient NaN there, and 0 here with ddof = 0. `torch.std` gives the
gradient 0 where the deviation is 0, while `x.var().sqrt()` gives NaN for a constant x.

Asked next:

- What is the gradient of the standard deviation σ, and where does it fail? → Divide by 2σ: dx = (x - μ)/((n - ddof) σ)
  · g, which for a constant x is 0/0. With an ε under the root, as in normalisation layers, it is 0.
- Why does the path through the mean stay in layer normalisation? → There each distance x_i - μ is an output of its own,
  weighted by its own g_i: the path gives minus the mean of the g_i, in general not 0. Only the distances sum to 0.
- What is the second derivative? → 2/(n - ddof) · (I - 11ᵀ/n) for a row: constant, as the variance is quadratic, and 0
  along (1, ..., 1), as a shift changes nothing.
- The elements lie on two GPUs: what do they exchange? → In the forward counts and sums for the mean, then the sums of
  squared distances from it. Backward needs nothing more: with μ, n and g each computes its own part.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "One element enters the variance twice: in its own distance from the mean, and in the mean. What becomes of each?",
    "The way through the mean vanishes, since distances from a mean sum to 0. What is left is the slope of a square.",
    "`np.expand_dims` gives g its axis back; the mean along the axis needs `keepdims=True`; n is `x.shape[axis]`.",
)
CASES = [
    given("x[n,m]", axis=-1, empty=False),
    given("x[n,m]", axis=0, empty=False),
    given("x[k,n,m]", axis=1, empty=False),
    given("x[n]", empty=False),
    # With ddof = 1 one element alone has no variance, so the axis has a size of its own.
    given("x[n,4]", axis=-1, ddof=1),
    given("x[k,5,n]", axis=-2, ddof=2),
    given("x[n,m]", axis=-1, x=normal(mean=1e6), empty=False, large=False, note="an offset of a million"),
    given("x[3]", x=[0.0, 1e-7, 3e-7], note="hardly any spread"),
]


def forward(x, axis=-1, ddof=0):
    return engine.var(x, axis=axis, ddof=ddof)


def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake("n-not-ddof", "the divisor is always n", "Which argument of your function do you never use?")
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


@mistake("no-two", "a square's slope is the number squared", "Differentiate u² with pen and paper.")
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return centred / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake(
    "g-not-expanded", "g broadcasts by itself", "g lost an axis in the forward. Where does NumPy put a missing one?"
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - ddof) * g


@mistake("no-divisor", "the variance is a sum", "Put every element in twice: should the slope of each stay the same?")
def var_backward(g, x, axis=-1, ddof=0):
    return 2 * (x - x.mean(axis=axis, keepdims=True)) * np.expand_dims(g, axis)


@mistake("whole-mean", "there is one mean for the whole array", "How many variances were computed, and of what?")
def var_backward(g, x, axis=-1, ddof=0):
    return 2 * (x - x.mean()) / (x.shape[axis] - ddof) * np.expand_dims(g, axis)


@mistake(
    "deviation",
    "it is the standard deviation",
    "Make x ten times as large: does the slope of a variance stay as it is?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    deviation = x.std(axis=axis, ddof=ddof, keepdims=True)
    deviation[deviation == 0] = 1
    return centred / ((x.shape[axis] - ddof) * deviation) * np.expand_dims(g, axis)


@mistake(
    "first-axis-counts",
    "the length of x is how many numbers a variance averages",
    "x is 3 by 5 and axis is 1: how many numbers make one variance? And what is len(x)?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (len(x) - ddof) * np.expand_dims(g, axis)


@mistake(
    "all-elements-count",
    "a variance averages all elements of x",
    "x is 3 by 5 and axis is 1: how many variances are there, and how many numbers make each?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.size - ddof) * np.expand_dims(g, axis)


@mistake(
    "ddof-is-a-flag",
    "ddof is 0 or 1",
    "With ddof = 2, by what does the forward divide? And by what do you?",
)
def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    return 2 * centred / (x.shape[axis] - bool(ddof)) * np.expand_dims(g, axis)
