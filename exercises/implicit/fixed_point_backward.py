# /// autodrill
# title = "Backward of a deep equilibrium layer"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["implicit differentiation", "fixed points", "adjoint"]
# requires = ["matmul_backward", "tanh_backward"]
# ///
"""A deep equilibrium layer iterates `z = tanh(W z + U x)` until z no longer changes, with `W` of shape (n, n), `U` of
shape (n, m) and `x` of shape (m,). You are handed the converged `z`, of shape (n,), and `g` = dL/dz. Return
`dW, dU, dx`, in memory that does not depend on how many iterations it took.
"""


def fixed_point_backward(g, z, W, U, x):
    raise NotImplementedError
