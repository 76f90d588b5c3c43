"""The line for `where` is right: the branch not taken gets a gradient of 0. But the root was computed for every
element, and its backward runs for every element too: at x = 0 it has slope ∞, and 0 times ∞ is NaN; at x < 0 the
root is NaN already. A zero does not stop a NaN. Masking the product, or clearing NaN afterwards, treats what can be
seen and not the cause: an infinity is no NaN, and an honest NaN from elsewhere would be hidden.

The cure is to make the *argument* harmless before the dangerous operation: where the root is not wanted take the root
of 1. Then every intermediate number is finite and the outer `where` drops what it always dropped. People call it the
double-where:

    safe = where(x > 0, x, 1);    out = where(x > 0, sqrt(safe), 0)

In plain NumPy selecting last, `np.where(x > 0, g / (2 * np.sqrt(x)), 0)`, gives right numbers and a warning, because
there nothing is differentiated after the selection. In PyTorch and JAX one writes the forward only, and the engine
writes the backward as above: so the forward needs both. Division at 0, log at 0, arccos at ±1 and a norm written as
the root of a sum of squares call for it in the same way.

Cost: one selection more an element, forward and backward, and no further root. An engine keeps the root and the
condition.

PyTorch: `WhereBackward0` keeps the condition and `SqrtBackward0` the root, by which it divides; so `torch.where(x > 0,
x.sqrt(), 0.)` has gradient NaN for x ≤ 0. Under `torch.autograd.set_detect_anomaly(True)` backward raises "Function
'SqrtBackward0' returned nan values in its 0th output"; an infinity passes. `x.norm()` at x = 0 has gradient 0 by
convention, `(x * x).sum().sqrt()` has NaN.

Asked next:

- Does forward mode have the trouble too? → No: the tangent goes through the root first and through the selection last,
  which drops it where it is NaN or infinite. In reverse the selection comes first and the root last.
- Is sqrt(relu(x)) a way out? → In PyTorch the gradient is right, as ReLU's backward selects, and so puts 0 in place of
  the infinite slope at x ≤ 0; an engine that multiplies by a mask makes NaN of it. `x.clamp(min=0).sqrt()` gives ∞ at x
  = 0, since clamp passes the gradient on at its bound.
- Why not take the root of `x[x > 0]` only? → That is right: the others are never computed and get 0. But the result's
  size depends on the values, so on a GPU the host must wait to learn it.
- A loss is NaN at padded positions and is multiplied by a mask: what comes out? → NaN, as 0 times NaN is NaN, in the
  forward already. Select with `where`, and feed the padded positions something harmless, or backward meets it again.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, given, mistake

HINTS = (
    "Print root and droot where x is 0 and where it is negative. What is 0 divided by them?",
    "Make the argument of the root harmless where the root is not wanted, before the root is taken.",
    "One more `np.where(x > 0, ...)`, inside `np.sqrt`, with a number in place of the x that are not wanted.",
)


def signs_and_zeros(rng, shape, _):
    return rng.choice([-2.0, 0.0, 0.25, 4.0], shape)


CASES = [
    given("x[n,m]", x=away_from_zero()),
    given("x[n,m]", x=signs_and_zeros, smooth=False, note="zeros among them"),
    given("x[3]", x=[0.0, 4.0, -1.0], smooth=False, note="0, 4 and -1"),
    given("x[2]", x=[1e-12, 1e12], smooth=False, note="tiny and huge"),
    given("x[1]", x=[1e-300], smooth=False, note="as tiny as may be"),
]
EQUIVALENT = {"off by one: np.where(x > 0, x, 1) -> np.where(x > 0, x, 2)": "any number with a root will do"}


def forward(x):
    return engine.where(x > 0, engine.sqrt(engine.where(x > 0, x, 1.0)), 0.0)


def bug_where_nan(g, x):
    root = np.sqrt(np.where(x > 0, x, 1))
    droot = np.where(x > 0, g, 0)
    return droot / (2 * root)


@mistake(
    "mask-after",
    "a zero stops whatever it meets",
    "What is 0 * inf? And 0 / 0, and 0 / NaN? Which of your numbers is not finite before the zero comes?",
)
def bug_where_nan(g, x):
    return g * (x > 0) * (1 / (2 * np.sqrt(np.maximum(x, 0))))


@mistake(
    "nan-to-num",
    "clearing NaN at the end clears what went wrong",
    "At x = 0 the slope is inf, not NaN. What does nan_to_num make of inf?",
)
def bug_where_nan(g, x):
    return np.nan_to_num(g / (2 * np.sqrt(x)), nan=0.0)


@mistake(
    "epsilon",
    "a small number under the root does no harm",
    "Is the slope at x = 1e-12 the same as before? And what is the root of a negative x plus a little?",
)
def bug_where_nan(g, x):
    droot = np.where(x > 0, g, 0)
    return droot / (2 * np.sqrt(np.maximum(x, 0) + 1e-6))


@mistake(
    "no-where",
    "with a harmless argument the selection is not needed any more",
    "Does out move when a negative x does? What gradient do you give it?",
)
def bug_where_nan(g, x):
    return g / (2 * np.sqrt(np.where(x > 0, x, 1)))


@mistake(
    "absolute-value",
    "the root of |x| is harmless",
    "Which of the x is still dangerous after that?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.abs(x)))


@mistake(
    "clamped",
    "no x is smaller than the number the root is held above",
    "What is the slope at x = 1e-12 when the root is taken of something larger?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.maximum(x, 1e-8)))


@mistake(
    "no-such-x",
    "an x that is positive and smaller than any guard does not occur",
    "x = 1e-300 is positive. What is the slope of the root there, and what do you return?",
)
def bug_where_nan(g, x):
    return np.where(x > 0, g, 0) / (2 * np.sqrt(np.maximum(x, x.dtype.type(1e-20))))
