# /// autodrill
# title = "Backward of softmax"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["softmax", "jacobian"]
# requires = ["sum_backward", "unbroadcast"]
# ///
"""The forward pass computed `out = softmax(x)` along `axis`; only the output was saved.
`g` is dL/dout, of the shape of `out`. Return `dx` without ever building a Jacobian
matrix.
"""


def softmax_backward(g, out, axis=-1):
    raise NotImplementedError
