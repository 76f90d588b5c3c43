# /// autodrill
# title = "Backward of a sum"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["chain rule", "accumulation"]
# ///
"""A scalar node holds two floats: `.data`, its value, and `.grad`, the gradient of the
loss accumulated so far. The forward pass has computed

    out.data = self.data + other.data

and `out.grad` is dL/dout. Write the body of `out`'s `_backward`: add `out`'s
contribution to the gradients of `self` and `other`. Other consumers may already have
added to them, and `self` and `other` may be the same node.
"""


def add_backward(self, other, out):
    raise NotImplementedError
