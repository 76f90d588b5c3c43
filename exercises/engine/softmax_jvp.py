# /// autodrill
# title = "Softmax in forward mode"
# kind = "jvp"
# difficulty = "medium"
# minutes = 6
# topics = ["modes", "softmax"]
# requires = ["softmax_backward"]
# ///
"""Forward mode carries a *tangent* with every value: the derivative of that value along a
direction in the inputs. The forward computes `out = softmax(x)` along the last axis.
`v` is the tangent of `x` and has the shape of `x`. Return `dout`, the tangent of `out`.
Memory is graded for long rows: no Jacobian matrix fits. Logits may be large.
"""


def softmax_jvp(x, v):
    raise NotImplementedError
