# /// autodrill
# title = "Backward of a SwiGLU feed-forward layer"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["activations", "linalg"]
# requires = ["silu_backward", "matmul_backward"]
# ///
"""The feed-forward layer of a Llama-style transformer computed

    a, b = x @ W1, x @ W3        # gate and value, each (n, f)
    h    = silu(a) * b           # silu(a) = a · σ(a), elementwise
    out  = h @ W2

`x` has shape (n, d), `W1` and `W3` have shape (d, f), and `W2` has shape (f, d). σ is the
sigmoid. Only the arguments below were saved. `g` is dL/dout, of shape (n, d). Return
`dx, dW1, dW3, dW2`, in this order. Elements of `a` may be as large as ±1000, and the
results must be finite there.
"""

import numpy as np


def swiglu_backward(g, x, W1, W3, W2):
    raise NotImplementedError
