# /// autodrill
# title = "Backward of one LSTM step"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["recurrent networks", "gates", "several outputs"]
# requires = ["tanh_backward", "matmul_backward", "sin_cos_backward"]
# ///
"""The forward pass took an LSTM one step on, for N sequences at a time. With `x` of
shape (N, D), the hidden state `h` and the cell state `c` of shape (N, H), and `W` of
shape (D + H, 4·H), it computed

    z  = concatenate([x, h], axis=1) @ W      # four blocks of H columns: i, f, o, u
    c2 = sigmoid(f) * c + sigmoid(i) * tanh(u)
    h2 = sigmoid(o) * tanh(c2)

`gh` and `gc` are the gradients of the loss with respect to `h2` and `c2`. Nothing but
the inputs was kept. Return `dx, dh, dc, dW`.
"""

import numpy as np


def lstm_step_backward(gh, gc, x, h, c, W):
    raise NotImplementedError
