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

with `Q` of shape (n, n), symmetric and positive definite, and `A` of shape (m, n) with m independent rows, m <= n. `g`
is dL/dx, of shape (n,). Return `dp, db`: what an OptNet layer sends to the parameters it was given.
"""


def equality_qp_backward(g, Q, p, A, b):
    raise NotImplementedError
