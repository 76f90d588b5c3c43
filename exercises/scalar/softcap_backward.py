# /// autodrill
# title = "Backward of a soft cap"
# kind = "value"
# difficulty = "easy"
# minutes = 3
# topics = ["activations", "attention"]
# requires = ["tanh_backward"]
# ///
"""Some language models cap their logits smoothly. A scalar node holds two floats.
`.data` is its value, and `.grad` is the part of its gradient that has accumulated so
far. L is the loss. The forward pass has computed

    out.data = c · tanh(self.data / c)

so `out.data` stays between -c and c. `c` is a positive number. `out.grad` is dL/dout.
Add the contribution of `out` to `self.grad`. Other consumers of `self` may already have
added to `self.grad`. `self.data` may be as large as ±1000.
"""


def softcap_backward(self, out, c):
    raise NotImplementedError
