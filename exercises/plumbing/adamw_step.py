# /// autodrill
# title = "One step of AdamW"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["optim"]
# requires = ["bug_zero_grad"]
# ///
"""AdamW keeps two running averages for every parameter: `m` averages the gradients, and
`v` averages their squares. Both are 0 before the first step. One step takes the
parameters `p`, their gradients `g`, the two averages and the number `t` of the step.
The first step has t = 1.

Weight decay is decoupled: the step first shrinks p by the fraction `lr * wd`, whatever
the gradient is. Next, the step updates m and v with the decay rates `b1` and `b2`, and
corrects both for their start at 0. Then the step subtracts `lr` times a ratio from p.
The numerator is the corrected m. The denominator is the square root of the corrected v,
plus `eps`.

Return `p, m, v` after the step, with m and v uncorrected. `p`, `g`, `m` and `v` are
arrays of one shape. `p`, `m` and `v` may be updated in place; leave `g` as it is.
"""

import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    raise NotImplementedError
