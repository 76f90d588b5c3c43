# /// autodrill
# title = "Backward of the variance"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["reductions", "statistics"]
# requires = ["sum_backward"]
# ///
"""The forward pass computed `out = x.var(axis=axis, ddof=ddof)`: along one axis of n
elements, the sum of the squared distances from their mean, divided by n - ddof. `g` is
dL/dout, of the shape of `out`, which lacks that axis. Return `dx`.

`axis` may be negative. The values may share a large offset, such as a million.
"""


def var_backward(g, x, axis=-1, ddof=0):
    raise NotImplementedError
