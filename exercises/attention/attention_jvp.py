# /// autodrill
# title = "Attention in forward mode"
# kind = "jvp"
# difficulty = "medium"
# minutes = 10
# topics = ["attention", "modes", "softmax"]
# requires = ["attention_backward"]
# ///
"""Forward mode carries a *tangent* with every value: the derivative of that value along a
direction in the inputs. For one head, the forward computes

    out = softmax(q @ kᵀ / √d) @ v      # softmax along the rows

`q`, `k` and `v` have the shapes (n, d), (m, d) and (m, e). Their tangents `dq`, `dk`
and `dv` have the same shapes. Return `dout`, the tangent of `out`, of shape (n, e).
Scores may be as large as ±1000, and dout must be finite.
"""

import numpy as np


def attention_jvp(q, k, v, dq, dk, dv):
    raise NotImplementedError
