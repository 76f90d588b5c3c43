# /// autodrill
# title = "Backward of tanh"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["chain rule", "saved values"]
# requires = ["add_backward"]
# ///
"""A scalar node holds `.data`, its value, and `.grad`, the gradient of the loss
accumulated so far. The forward pass has computed

    out.data = tanh(self.data)

and `out.grad` is dL/dout. Add `out`'s contribution to `self.grad` without computing
another tanh: you already have every value you need. `self.data` may be as large as
±1000.
"""


def tanh_backward(self, out):
    raise NotImplementedError
