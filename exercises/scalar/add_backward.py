# /// autodrill
# title = "Backward of a sum"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["graph", "engine"]
# ///
"""A scalar node holds two floats. `.data` is its value, and `.grad` is the part of its
gradient that has accumulated so far. L is the loss. The forward pass has computed

    out.data = self.data + other.data

`out.grad` is dL/dout. Write the body of `out`'s `_backward`: add the contribution of
`out` to the gradients of `self` and `other`. Other consumers of `self` and `other` may
already have added to these gradients. `self` and `other` may be the same node.
"""


def add_backward(self, other, out):
    raise NotImplementedError
