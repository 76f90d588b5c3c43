# /// autodrill
# title = "One step of AdamW"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["optimisers", "training loop"]
# requires = ["bug_zero_grad"]
# ///
"""AdamW keeps two running averages for every parameter: `m` of the gradients and `v` of
their squares. Both are 0 before the first step. One step takes the parameters `p`,
their gradients `g`, the two averages and the number `t` of the step, which is 1 the
first time.

The step updates m and v with the decay rates `b1` and `b2`, and corrects both for
having started at 0. Then it subtracts from p `lr` times a ratio: the corrected m over
the root of the corrected v, with `eps` added to that root. Weight decay is decoupled:
before that, p shrinks by the share `lr * wd`, whatever the gradient is.

Return `p, m, v` after the step, with m and v uncorrected. `p`, `g`, `m` and `v` are
arrays of one shape.
"""

import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    raise NotImplementedError
