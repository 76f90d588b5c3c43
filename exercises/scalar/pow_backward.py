# /// autodrill
# title = "Backward of a power of two nodes"
# kind = "value"
# difficulty = "medium"
# minutes = 6
# topics = ["chain rule", "logarithm"]
# requires = ["mul_backward"]
# ///
"""A scalar node holds `.data`, its value, and `.grad`, the gradient of the loss
collected so far. The forward pass has computed

    out.data = self.data ** other.data

where *both* are nodes, and `out.grad` is dL/dout. Add what `out` contributes to the
gradients of `self` and `other`; in `x ** x` both operands are the same node.

The base is never negative. It may be exactly 0, with an exponent of at least 1: there
the gradient of the exponent is 0, as in PyTorch. `math` is imported.
"""

import math


def pow_backward(self, other, out):
    raise NotImplementedError
