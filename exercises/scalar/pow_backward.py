# /// autodrill
# title = "Backward of a power of two nodes"
# kind = "value"
# difficulty = "medium"
# minutes = 6
# topics = ["chain rule", "logarithm"]
# requires = ["mul_backward"]
# ///
"""A scalar node holds `.data`, its value, and `.grad`, the gradient of the loss
accumulated so far. The forward pass has computed

    out.data = self.data ** other.data

*Both* operands are nodes, and `out.grad` is dL/dout. Add `out`'s contribution to the
gradients of `self` and `other`. In `x ** x` both operands are the same node.

The base is never negative. It may be exactly 0 if the exponent is at least 1. In that
case the gradient of the exponent is 0, as in PyTorch. `math` is imported.
"""

import math


def pow_backward(self, other, out):
    raise NotImplementedError
