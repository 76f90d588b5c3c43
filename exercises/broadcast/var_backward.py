# /// autodrill
# title = "Backward of the variance"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["shapes", "norm"]
# requires = ["sum_backward"]
# ///
"""The forward pass computed `out = x.var(axis=axis, ddof=ddof)` along one axis of n
elements. This variance is the sum of the squared distances from the mean, divided by
n - ddof. `g` is dL/dout and has the shape of `out`, which lacks the reduced axis.
Return `dx`.

`axis` may be negative. The values may share a large offset, such as a million.
"""


def var_backward(g, x, axis=-1, ddof=0):
    raise NotImplementedError
