# /// autodrill
# title = "Backward of Mamba's selective scan"
# kind = "backward"
# difficulty = "expert"
# minutes = 25
# topics = ["recurrent", "shapes"]
# requires = ["linear_scan_backward", "mul_broadcast_backward"]
# ///
"""Mamba runs a linear recurrence whose coefficients depend on the input. Each of c channels has a
state of n numbers, so the state h_t has shape (c, n). With h_0 = 0, the forward pass computed for
t = 1 ... T

    h_t = exp(dt_t A) ∘ h_(t-1) + (dt_t ∘ x_t) B_tᵀ
    y_t = h_t C_t + D ∘ x_t

Here ∘ is the elementwise product, and dt_t A is A with row i multiplied by dt_t[i].
For channel i and state entry j, the first line reads

    h_t[i,j] = exp(dt_t[i] · A[i,j]) · h_(t-1)[i,j] + dt_t[i] · x_t[i] · B_t[j]

`x` and the step sizes `dt` have shape (T, c), and `A` has shape (c, n). `B` and `C` have shape (T, n)
and are shared by all channels. `D` has shape (c,). A is negative, dt is at least 0, and T is at
least 1. Only these inputs were saved. `g` is dL/dy, of shape (T, c).

Return `dx, ddt, dA, dB, dC, dD`. You may hold the states of all steps.
"""

import numpy as np


def selective_scan_backward(g, x, dt, A, B, C, D):
    raise NotImplementedError
