# /// autodrill
# title = "Backward of tanh"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["activations", "graph"]
# requires = ["add_backward"]
# ///
"""A scalar node holds two floats. `.data` is its value, and `.grad` is the part of its
gradient that has accumulated so far. L is the loss. The forward pass has computed

    out.data = tanh(self.data)

`out.grad` is dL/dout. Add the contribution of `out` to `self.grad`. You need no second
tanh: a node already holds every value you need. `self.data` may be as large as ±1000.
"""


def tanh_backward(self, out):
    raise NotImplementedError
