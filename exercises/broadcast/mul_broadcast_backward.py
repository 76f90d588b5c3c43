# /// autodrill
# title = "Backward of a broadcast product"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["shapes"]
# requires = ["mul_backward", "unbroadcast"]
# ///
"""The forward pass computed `out = a * b` on two arrays of one dtype. `a` and `b` may have
different shapes, so NumPy may have broadcast them. `g` is dL/dout and has the shape of
`out`. Return `da, db`, each with exactly the shape and dtype of its input.
"""


def mul_broadcast_backward(g, a, b):
    raise NotImplementedError
