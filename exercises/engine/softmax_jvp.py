# /// autodrill
# title = "Softmax in forward mode"
# kind = "jvp"
# difficulty = "medium"
# minutes = 6
# topics = ["forward mode", "softmax", "jacobian"]
# requires = ["softmax_backward"]
# ///
"""Forward mode carries a *tangent* with every value: the rate at which the value moves
when the input moves. The input `x` of `out = softmax(x)`, taken along the last axis,
moves with velocity `v`, an array of x's shape. Return `dout`, the velocity of `out`. Do
not build the Jacobian matrix. Logits may be large.
"""


def softmax_jvp(x, v):
    raise NotImplementedError
