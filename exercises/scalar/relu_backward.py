# /// autodrill
# title = "Backward of ReLU"
# kind = "value"
# difficulty = "easy"
# minutes = 2
# topics = ["activations", "kinks"]
# requires = ["add_backward"]
# ///
"""A scalar node holds two floats. `.data` is its value, and `.grad` is the part of its
gradient that has accumulated so far. L is the loss. The forward pass has computed

    out.data = max(0, self.data)

`out.grad` is dL/dout. Add the contribution of `out` to `self.grad`. If `self.data` is
exactly 0, follow PyTorch, TensorFlow and `jax.nn.relu`: the derivative of ReLU is 0
there.
"""


def relu_backward(self, out):
    raise NotImplementedError
