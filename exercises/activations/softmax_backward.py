# /// autodrill
# title = "Backward of softmax"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["softmax", "activations"]
# requires = ["sum_backward", "unbroadcast"]
# ///
"""The forward pass computed `out = softmax(x)` along `axis` and saved only `out`. `g` is
dL/dout and has the shape of `out`. Return `dx`. Rows may be so
long that no Jacobian matrix fits into memory.
"""


def softmax_backward(g, out, axis=-1):
    raise NotImplementedError
