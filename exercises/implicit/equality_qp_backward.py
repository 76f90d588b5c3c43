# /// autodrill
# title = "Backward of a quadratic program with equality constraints"
# kind = "backward"
# difficulty = "expert"
# minutes = 18
# topics = ["implicit", "linalg"]
# requires = ["matmul_backward", "fixed_point_backward"]
# ///
"""A layer solves the quadratic program

    x = argmin ½ xᵀ Q x + pᵀ x    subject to    A x = b

`Q` has shape (n, n) and is symmetric and positive definite. `A` has shape (m, n) with
m <= n, and its rows are linearly independent. `g` is dL/dx, of shape (n,). Return
`dp, db`, the gradients of the loss L with respect to `p` and `b`, as in OptNet.
"""


def equality_qp_backward(g, Q, p, A, b):
    raise NotImplementedError
