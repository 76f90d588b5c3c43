# /// autodrill
# title = "Backward of a power of two nodes"
# kind = "value"
# difficulty = "medium"
# minutes = 6
# topics = ["graph", "kinks"]
# requires = ["mul_backward"]
# ///
"""A scalar node holds two floats. `.data` is its value, and `.grad` is the part of its
gradient that has accumulated so far. L is the loss. The forward pass has computed

    out.data = self.data ** other.data

*Both* operands are nodes, and `out.grad` is dL/dout. Add the contribution of `out` to
the gradients of `self` and `other`. In `x ** x` both operands are the same node.

The base is never negative. The base may be exactly 0 if the exponent is at least 1. At
a base of 0 the gradient of the exponent is 0, as in PyTorch. This file imports `math`.
"""

import math


def pow_backward(self, other, out):
    raise NotImplementedError
