"""Where a > b, `out` is a: da = g and db = 0. Where b > a it is the other way round. No arithmetic, only routing.

At a tie the function has a kink: every split (λg, (1-λ)g) with λ in [0, 1] comes from a subgradient, and a convention
must choose. `torch.maximum` and JAX halve, which treats the operands alike; `relu` gives all of it to the constant 0,
and max pooling to the first maximum. Whatever is chosen among these, da + db = g: moving both operands moves the
output.

The one test that finds most errors here: at ties, do the two gradients add up to g?

Cost: backward is two comparisons, two choices, a halving and a subtraction an element, where the forward is one
`maximum`. The operands themselves are not needed: a weight of 0, ½ or 1, two bits, is all that must be kept.

PyTorch: `MaximumBackward0` keeps both operands and compares them again; a tie gives g/2 to each. Where either is NaN no
comparison holds and both operands receive all of g, so da + db is 2g there; this solution gives all of it to b. `amax`,
and `max` without `dim`, share equally among all that tie, and `max(dim=...)` gives everything to the index it returned.

Asked next:

- `relu(x)`, `x.clamp(min=0)` and `torch.maximum(x, zero)` compute the same numbers. Do their gradients agree at
  0? → No: 0, 1 and ½. Each is a valid choice, so a comparison of two implementations at a kink compares conventions.
- Finite differences check your backward at a tie. What do they say? → Central differences move one operand by ±h, out
  moves by h on one side only, and h/2h is ½: halving passes, and the other conventions fail although they are no less
  right. One-sided differences give 1 and 0. So ties are tested apart, against the convention.
- The second gradient is computed as g − da. When does that go wrong? → Where g is infinite, as after an overflow in
  mixed precision: a wins, da is inf, and inf − inf is NaN where 0 is due. A second `np.where` that selects instead of
  subtracting is safe.
- What does `maximum(x, x)` send back to x? → Every element ties, and x receives both halves: g, as it must, because the
  function is the identity. With "all of it to both" it would be 2g, with "nothing to either" 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Move the smaller operand a little: what does the output do? And the larger one?",
    "The winner takes g, the loser 0, and at a tie each takes half: a weight of 1, 0 or 1/2 for each element.",
    "`np.where` with the tie first, nested: half, else all or nothing. The second gradient is what is left of g.",
)


def one_of(*values):
    return lambda rng, shape, _: rng.choice(values, shape)


CASES = [
    given("a[k,n,m] b[k,n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-2.5, -0.5, 0.5, 1.5), note="no ties"),
    given("a[n,m] b[n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-2.0, 0.0, 2.0), smooth=False, note="some ties"),
    given("a[] b[]", a=0.0, b=0.0, smooth=False, note="two equal numbers"),
    given("a[3] b[3]", a=[1.0, 1.0, -2.0], b=[1 + 3e-10, 1 - 3e-10, -2.1], smooth=False, note="nearly equal"),
]
EQUIVALENT = {"comparison: a > b -> a >= b": "ties have been dealt with by then"}


def forward(a, b):
    return engine.maximum(a, b)


def maximum_backward(g, a, b):
    da = np.where(a == b, g / 2, np.where(a > b, g, 0))
    return da, g - da


@mistake(
    "ge-both", "a tie counts in full for both sides", "Move both operands of a tie by h. By how much does out move?"
)
def maximum_backward(g, a, b):
    return g * (a >= b), g * (b >= a)


@mistake("strict-both", "at a tie neither operand counts", "At a tie, what is da + db? And what must it be?")
def maximum_backward(g, a, b):
    return g * (a > b), g * (b > a)


@mistake("add-rule", "both operands feed the output, so both receive g", "Does moving the smaller one move the output?")
def maximum_backward(g, a, b):
    return g.copy(), g.copy()


@mistake("winner-by-order", "one operand wins every tie", "Exchange a and b: should a tie be paid out differently?")
def maximum_backward(g, a, b):
    return np.where(a >= b, g, 0), np.where(a >= b, 0, g)


@mistake("winner-by-order-b", "one operand wins every tie", "Exchange a and b: should a tie be paid out differently?")
def maximum_backward(g, a, b):
    return np.where(a > b, g, 0), np.where(a > b, 0, g)


@mistake("always-half", "the two always share", "Where a is the larger, by how much does out move when a does?")
def maximum_backward(g, a, b):
    return np.where(a >= b, g / 2, 0), np.where(b >= a, g / 2, 0)


@mistake(
    "half-of-it-lost",
    "at a tie one operand takes half and the other nothing",
    "At a tie, what is da + db? And what must it be?",
)
def maximum_backward(g, a, b):
    return np.where(a == b, g / 2, np.where(a > b, g, 0)), np.where(b > a, g, 0)
