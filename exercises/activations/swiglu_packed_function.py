# /// autodrill
# title = "SwiGLU as a function that saves only its input"
# kind = "function"
# difficulty = "medium"
# minutes = 8
# topics = ["activations", "custom", "memory"]
# requires = ["silu_backward"]
# entry = "SwiGLUPacked"
# ///
"""One matrix product often computes the gate `a` and the value `b` of a SwiGLU layer
side by side. The array `ab` of shape (..., 2·m) holds `a` in its first m columns and
`b` in the other m columns. Write both passes of

    out = a · σ(a) · b        # elementwise, shape (..., m); σ is the sigmoid

as a class `SwiGLUPacked` with static methods, like a `torch.autograd.Function`.
`forward(ctx, ab)` stores what backward needs, with `ctx.save_for_backward(...)` or in
attributes of ctx. It returns `out`. `backward(ctx, g)` reads `ctx.saved_tensors`, a
tuple, and returns `dab`, one array with the shape of `ab`. `g` is dL/dout.

The forward runs in many layers before the first backward, with one ctx per call. The
caller keeps `ab` unchanged, so saving `ab` or views of it costs nothing. Any other
saved array counts: what ctx holds beyond `ab` must not grow with the size of `ab`.
Elements of `ab` may be as large as ±1000, and the results must be finite there.
"""

import numpy as np


class SwiGLUPacked:
    @staticmethod
    def forward(ctx, ab):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError
