# /// autodrill
# title = "Stochastic rounding"
# kind = "program"
# difficulty = "easy"
# minutes = 5
# topics = ["estimators", "amp"]
# requires = ["ste_round_backward"]
# ///
"""Low-precision training rounds weights to multiples of `step`. Rounding to nearest loses every update that is smaller
than half a step. Stochastic rounding does not: it rounds each number up or down at random, so that the result is right
on average.

`x` and `u` are arrays of the same shape. x may be negative. `u` holds random numbers, uniform in [0, 1), one for each
element of `x`. Use no other source of randomness. `step` is a positive float. Return an array of the same shape:

- Each element is one of the two multiples of `step` between which x lies.
- For a fixed x, the mean of the results over all u is x.
- If x / step is a whole number in floating point, the result is x for every u, even for u = 0.

Grading calls your function with many evenly spaced values of u for each x, in a different order for each element,
and compares the mean, the smallest and the largest result. You decide for which values of u you round up. The result
of an element must not depend on the u of another element.
"""

import numpy as np


def stochastic_round(x, u, step):
    raise NotImplementedError
