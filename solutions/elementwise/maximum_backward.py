"""Where a > b, `out` is a: da = g and db = 0. Where b > a it is the other way round. No arithmetic, only routing.

At a tie the function has a kink: every split (λg, (1-λ)g) with λ in [0, 1] is a subgradient, and a convention must
choose. `torch.maximum` and JAX halve, which treats the operands alike; `relu` gives all of it to the constant 0, and
max pooling to the first maximum. Whatever is chosen, da + db = g: moving both operands moves the output.

The one test that finds most errors here: at ties, do the two gradients add up to g? Backward costs two comparisons,
and only a mask need be kept.
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


# Ties are at 0: a tolerance is measured by moving each input by a unit in its last place, and that parts other ties.
CASES = [
    given("a[n,m] b[n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-2.5, -0.5, 0.5, 1.5), note="no ties"),
    given("a[n,m] b[n,m]", a=one_of(-2.0, 0.0, 1.0), b=one_of(-1.0, 0.0, 2.0), smooth=False, note="some ties"),
    given("a[] b[]", a=0.0, b=0.0, smooth=False, note="two equal numbers"),
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
