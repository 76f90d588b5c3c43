# /// autodrill
# title = "Backward of a deep equilibrium layer"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["implicit"]
# requires = ["matmul_backward", "tanh_backward"]
# ///
"""A deep equilibrium layer iterates `z = tanh(W z + U x)` until z no longer changes.
`W` has shape (n, n), `U` has shape (n, m), and `x` has shape (m,). You receive the
converged `z`, of shape (n,), and `g` = dL/dz. Return `dW, dU, dx`. The converged z is
enough, so you need not keep the iterates.
"""


def fixed_point_backward(g, z, W, U, x):
    raise NotImplementedError
