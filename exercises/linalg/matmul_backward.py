# /// autodrill
# title = "Backward of a matrix product"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["linalg", "shapes"]
# requires = ["mul_backward"]
# ///
"""The forward pass of a linear layer computed `out = X @ W` with X of shape (n, d) and
W of shape (d, k). `g` is dL/dout, of shape (n, k). Return `dX, dW`.
"""


def matmul_backward(g, X, W):
    raise NotImplementedError
