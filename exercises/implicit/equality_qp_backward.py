# /// autodrill
# title = "Backward of a quadratic program with equalities"
# kind = "backward"
# difficulty = "expert"
# minutes = 18
# topics = ["implicit differentiation", "optimisation", "KKT"]
# requires = ["matmul_backward", "fixed_point_backward"]
# ///
"""A layer solves the program

    x = argmin ½ xᵀ Q x + pᵀ x    subject to    A x = b

`Q` has shape (n, n) and is symmetric and positive definite. `A` has shape (m, n) with m
independent rows, m <= n. `g` is dL/dx, of shape (n,). Return `dp, db`, the gradients
that an OptNet layer sends to these parameters.
"""


def equality_qp_backward(g, Q, p, A, b):
    raise NotImplementedError
