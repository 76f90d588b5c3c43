"""The maximum routes its gradient g to the larger operand. If a > b, `out` is a, so da = g and db = 0. If b > a, the
roles are exchanged. Neither case needs arithmetic.

A tie is a kink. Every split (λg, (1-λ)g) with λ in [0, 1] comes from a subgradient, so a convention must choose λ.
`torch.maximum` and JAX give half of g to each operand, which treats the operands alike. `relu` gives all of g to the
constant 0, and max pooling gives all of g to the first maximum. Each of these choices keeps da + db = g. This sum is
required, because moving both operands by h moves the output by h.

One test finds most errors here: at ties, do the two gradients add up to g?

Cost: two comparisons, two selections, one halving and one subtraction per element. The forward is one `maximum`.
Backward does not need the operands themselves. It is enough to save one weight per element. The weight is 0, ½ or 1 and
takes two bits.

PyTorch: `MaximumBackward0` saves both operands and compares them again. At a tie each operand gets g/2. If either
operand is NaN, no comparison holds and both operands get all of g, so da + db is 2g. At a NaN, this solution gives all
of g to b. `amax`, and `max` without `dim`, share g equally among all maxima. `max(dim=...)` gives all of g to the index
that it returned.

Asked next:

- `relu(x)`, `x.clamp(min=0)` and `torch.maximum(x, zero)` compute the same numbers. Do their gradients agree at
  0? → No: at 0 their slopes are 0, 1 and ½. Each slope is a valid choice. A comparison of two implementations at a kink
  therefore compares conventions.
- You check your backward at a tie with finite differences. What do the differences give? → Central differences move one
  operand by ±h. The output moves by h for only one of the two signs, and h/(2h) is ½. The convention of ½ passes, and
  the other conventions fail although they are equally valid. One-sided differences give 1 and 0. So test ties
  separately, against the convention.
- The second gradient is computed as g − da. When does this subtraction go wrong? → The subtraction goes wrong if g is
  infinite, for example after an overflow in mixed precision. If a is larger, da is inf, and g − da is NaN, although db
  should be 0. A second `np.where`, which selects instead of subtracting, is safe.
- What does `maximum(x, x)` send back to x? → Every element ties, so x receives both halves, which add up to g. This sum
  is correct, because the function is the identity. If a rule gave all of g to both operands, x would receive 2g. If a
  rule gave nothing to either operand, x would receive 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Move the smaller operand slightly, then the larger operand. What does the output do in each case?",
    (
        "The larger operand gets g, the smaller one gets 0, and at a tie each gets g/2. The weight per element is 1, 0 "
        "or 1/2."
    ),
    "Nest two `np.where`: test for a tie first, then for the larger operand. db is g minus da.",
)


def one_of(*values):
    return lambda rng, shape, _: rng.choice(values, shape)


CASES = [
    given("a[k,n,m] b[k,n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-2.5, -0.5, 0.5, 1.5), note="no ties", empty=True),
    given("a[n,m] b[n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-2.0, 0.0, 2.0), smooth=False, note="ties", empty=True),
    given("a[] b[]", a=0.0, b=0.0, smooth=False, note="two equal numbers"),
    given("a[3] b[3]", a=[1.0, 1.0, -2.0], b=[1 + 3e-10, 1 - 3e-10, -2.1], smooth=False, note="nearly equal"),
]
EQUIVALENT = {"comparison: a > b -> a >= b": "ties are already handled at this point"}
MISTAKES = [
    edit(
        "half-of-it-lost",
        "at a tie one operand receives half of g, and the other receives nothing",
        "At a tie, what is da + db in your code? What must da + db be?",
        "g - da -> np.where(b > a, g, 0)",
    ),
    edit(
        "add-rule",
        "both operands receive g, as in a sum",
        "Does the output move when the smaller operand moves?",
        "return da, g - da -> return g.copy(), g.copy()",
    ),
    edit(
        "nearly-equal-ties",
        "numbers that are nearly equal tie",
        "a and b differ by 1e-10. Which of them is the output? Does the output move if the smaller one moves?",
        "a == b -> np.isclose(a, b)",
    ),
]


def forward(a, b):
    return engine.maximum(a, b)


def maximum_backward(g, a, b):
    da = np.where(a == b, g / 2, np.where(a > b, g, 0))
    return da, g - da


@mistake(
    "ge-both",
    "each operand of a tie receives all of g",
    "Move both operands of a tie by h. By how much does `out` move?",
)
def maximum_backward(g, a, b):
    return g * (a >= b), g * (b >= a)


@mistake(
    "strict-both",
    "neither operand of a tie receives anything",
    "At a tie, what is da + db in your code? What must da + db be?",
)
def maximum_backward(g, a, b):
    return g * (a > b), g * (b > a)


@mistake("winner-by-order", "`a` wins every tie", "Exchange a and b: should that change the split at a tie?")
def maximum_backward(g, a, b):
    return np.where(a >= b, g, 0), np.where(a >= b, 0, g)


@mistake("winner-by-order-b", "`b` wins every tie", "Exchange a and b: should that change the split at a tie?")
def maximum_backward(g, a, b):
    return np.where(a > b, g, 0), np.where(a > b, 0, g)


@mistake(
    "always-half",
    "the larger operand receives only half of g",
    "Let a be the larger operand. By how much does `out` move when a moves?",
)
def maximum_backward(g, a, b):
    return np.where(a >= b, g / 2, 0), np.where(b >= a, g / 2, 0)
