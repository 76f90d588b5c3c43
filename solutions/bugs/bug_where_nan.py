"""The line for `where` is right: the branch that was not taken receives the gradient 0. But the square root was
computed for every element, so its backward also runs for every element. At x = 0 the slope of the root is ∞, and 0
times ∞ is NaN. At x < 0 the root itself is NaN, and 0 times NaN is NaN.

Masking the product, or replacing NaN afterwards, treats only the symptom. A mask of zeros does not stop a NaN.
Replacing NaN leaves infinities as they are, and it hides a NaN that has another cause.

Instead, make the *argument* harmless before the dangerous operation. At every x whose root is not needed, take the root
of 1. Then every intermediate number is finite, and the outer `where` drops the same elements as before. This trick is
known as the double-where:

    safe = where(x > 0, x, 1);    out = where(x > 0, sqrt(safe), 0)

In plain NumPy one selection at the end is enough, because nothing is differentiated after the selection.
`np.where(x > 0, g / (2 * np.sqrt(x)), 0)` gives the right numbers, with a warning. In PyTorch and JAX you write only
the forward, and the engine runs the backward that multiplies 0 by ∞. So the forward needs both selections. Division at
0, log at 0, arccos at ±1 and a norm written as the root of a sum of squares have the same problem.

Cost: one more selection per element in forward and in backward, and no further root. An engine keeps the root and the
condition.

PyTorch: `WhereBackward0` keeps the condition. `SqrtBackward0` keeps the root and divides by it. So `torch.where(x > 0,
x.sqrt(), 0.)` has gradient NaN for x ≤ 0. Under `torch.autograd.set_detect_anomaly(True)` backward raises "Function
'SqrtBackward0' returned nan values in its 0th output"; anomaly mode does not report an infinity. At x = 0 `x.norm()`
has gradient 0 by convention, and `(x * x).sum().sqrt()` has gradient NaN.

Asked next:

- Does forward mode have the same problem? → No. The tangent passes the root first and the selection last, and the
  selection drops a tangent that is NaN or infinite. In reverse mode the selection comes first and the root last.
- Does sqrt(relu(x)) avoid the NaN? → In PyTorch the gradient of sqrt(relu(x)) is right. ReLU's backward selects, so it
  replaces the infinite slope at x ≤ 0 by 0. An engine that multiplies by a mask gets NaN. `x.clamp(min=0).sqrt()` has
  gradient ∞ at x = 0, because clamp passes the gradient on at its bound.
- Why not take the root of `x[x > 0]` only? → The gradient is then right, because the other roots are never computed and
  the other elements receive 0. But the size of the result depends on the values in x. On a GPU, the host must therefore
  wait until the device has computed this size.
- A loss is NaN at padded positions and is multiplied by a mask. What is the result? → The result is NaN already in the
  forward, because 0 times NaN is NaN. Select with `where` instead. Also give the padded positions a harmless input, or
  the NaN returns in backward.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, given, mistake

HINTS = (
    "Print root and droot for an x of 0 and for a negative x. What is 0 divided by these roots?",
    "If the root of an x will not be used, replace that x by a safe value before taking the root.",
    "Add a second `np.where(x > 0, ...)`, inside `np.sqrt`. The selection replaces each x whose root is not needed.",
)


def signs_and_zeros(rng, shape, _):
    return rng.choice([-2.0, 0.0, 0.25, 4.0], shape)


EMPTY = True
CASES = [
    given("x[n,m]", x=away_from_zero(), nan=False),
    given("x[n,m]", x=signs_and_zeros, smooth=False, note="positive, negative and zero"),
    given("x[3]", x=[0.0, 4.0, -1.0], smooth=False, note="0, 4 and -1"),
    given("x[2]", x=[1e-12, 1e12], smooth=False, note="1e-12 and 1e12"),
    given("x[1]", x=[1e-300], smooth=False, note="1e-300"),
]
EQUIVALENT = {
    "off by one: np.where(x > 0, x, 1) -> np.where(x > 0, x, 2)": "any positive number is a harmless argument"
}


def forward(x):
    return engine.where(x > 0, engine.sqrt(engine.where(x > 0, x, 1.0)), 0.0)


def bug_where_nan(g, x):
    root = np.sqrt(np.where(x > 0, x, 1))
    droot = np.where(x > 0, g, 0)
    return droot / (2 * root)


@mistake(
    "mask-after",
    "multiplying by 0 always gives 0",
    "What are 0 * inf, 0 / 0 and 0 / NaN? Which of your numbers is not finite before it is combined with the 0?",
)
def bug_where_nan(g, x):
    return g * (x > 0) * (1 / (2 * np.sqrt(np.maximum(x, 0))))


@mistake(
    "nan-to-num",
    "replacing NaN at the end repairs every element",
    "At x = 0 the slope is inf, not NaN. What does nan_to_num turn inf into?",
)
def bug_where_nan(g, x):
    return np.nan_to_num(g / (2 * np.sqrt(x)), nan=0.0)


@mistake(
    "epsilon",
    "a small number added under the root does no harm",
    "What is the slope at x = 1e-12, with the small number and without it?",
)
def bug_where_nan(g, x):
    droot = np.where(x > 0, g, 0)
    return droot / (2 * np.sqrt(np.maximum(x, 0) + 1e-6))


@mistake(
    "no-where",
    "a harmless argument makes the selection unnecessary",
    "Does `out` move when a negative x moves? What gradient do you give that x?",
)
def bug_where_nan(g, x):
    return g / (2 * np.sqrt(np.where(x > 0, x, 1)))


@mistake(
    "absolute-value",
    "the slope of the root is harmless at x = 0",
    "What is 0 / 0? At which x is the slope of the root infinite?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.abs(x)))


@mistake(
    "clamped",
    "replacing a small x by a lower bound does not change the slope",
    "What is the slope at x = 1e-12, and what is the slope at your lower bound?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.maximum(x, 1e-8)))


@mistake(
    "no-such-x",
    "a positive x below the lower bound does not occur",
    "x = 1e-300 is positive. What is the slope of the root there, and what do you return?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.maximum(x, x.dtype.type(1e-20))))


@mistake(
    "epsilon-beside-root",
    "a small number added to the root does no harm",
    "What is the slope at x = 1e-12, with the small number and without it?",
)
def bug_where_nan(g, x):
    droot = np.where(x > 0, g, 0)
    return droot / (2 * np.sqrt(np.maximum(x, 0)) + x.dtype.type(1e-6))


@mistake(
    "zero-counts-as-positive",
    "x = 0 takes the branch with the root",
    "What is the value of `x > 0` at x = 0? Which branch does the forward take there?",
)
def bug_where_nan(g, x):
    droot = np.where(x >= 0, g, 0)
    return droot / (2 * np.sqrt(np.where(x > 0, x, 1)))


@mistake(
    "tiny-is-zero",
    "a tiny positive x counts as 0",
    "What is the slope of the root at x = 1e-12? Which comparison does the forward make?",
)
def bug_where_nan(g, x):
    droot = np.where(x > 1e-8, g, 0)
    return droot / (2 * np.sqrt(np.where(x > 1e-8, x, 1)))
