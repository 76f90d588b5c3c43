# /// autodrill
# title = "Backward of a sum over axes"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["shapes"]
# requires = ["unbroadcast"]
# ///
"""The forward pass computed `out = x.sum(axis=axis, keepdims=keepdims)` for an array
`x` of shape `x_shape`. `g` is dL/dout. Return `dx` as a new array, not a view, with the
shape `x_shape` and the dtype of `g`. `axis` is None (sum everything), an int (possibly
negative) or a tuple of ints.
"""


def sum_backward(g, x_shape, axis=None, keepdims=False):
    raise NotImplementedError
