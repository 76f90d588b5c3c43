# /// autodrill
# title = "Backward of entropic optimal transport"
# kind = "backward"
# difficulty = "expert"
# minutes = 25
# topics = ["implicit", "linalg"]
# requires = ["fixed_point_backward", "softmax_backward"]
# ///
"""Entropic optimal transport moves the masses `a` of n sources to the masses `b` of m targets. `C[i, j]`
is the cost of moving one unit from source i to target j. The optimal plan has the form

    P[i, j] = exp((f_i + h_j - C[i, j]) / eps)

The potentials f and h are such that the rows of P sum to a, and the columns of P sum to b. Sinkhorn's algorithm found
them: it adjusted f and h in turn until both conditions held up to rounding.

`P` has shape (n, m), and it is the converged plan. `a` has shape (n,), and `b` has shape (m,). All entries
of P, a and b are positive, a and b have the same sum, and n and m are at least 1. `eps` is a positive
number. `g` is dL/dP. Return `dC`, the gradient of the loss with respect to the cost matrix. If C changes, f
and h change with it, and a, b and eps stay fixed. You need not run or unroll Sinkhorn's algorithm, because
the converged plan P is enough.
"""

import numpy as np


def sinkhorn_backward(g, P, a, b, eps):
    raise NotImplementedError
