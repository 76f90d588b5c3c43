# /// autodrill
# title = "Backward of one LSTM step"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["recurrent"]
# requires = ["tanh_backward", "matmul_backward", "sin_cos_backward"]
# ///
"""The forward pass ran one step of an LSTM on N sequences. `x` has shape (N, D), the
hidden state `h` and the cell state `c` have shape (N, H), and `W` has shape (D + H,
4·H):

    z  = concatenate([x, h], axis=1) @ W    # i, f, o, u: H columns each
    c2 = sigmoid(f) * c + sigmoid(i) * tanh(u)
    h2 = sigmoid(o) * tanh(c2)

`gh` and `gc` are the gradients of the loss with respect to `h2` and `c2`. Only the
inputs were saved. Return `dx, dh, dc, dW`.
"""

import numpy as np


def lstm_step_backward(gh, gc, x, h, c, W):
    raise NotImplementedError
