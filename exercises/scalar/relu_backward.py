# /// autodrill
# title = "Backward of ReLU"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["chain rule", "kinks"]
# requires = ["add_backward"]
# ///
"""A scalar node holds `.data`, its value, and `.grad`, the gradient of the loss
accumulated so far. The forward pass has computed

    out.data = max(0, self.data)

and `out.grad` is dL/dout. Add `out`'s contribution to `self.grad`. At exactly 0 follow
the convention of PyTorch, TensorFlow and `jax.nn.relu`: the gradient there is 0.
"""


def relu_backward(self, out):
    raise NotImplementedError
