# /// autodrill
# title = "A backward whose weight gradient comes later"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["distributed", "memory"]
# requires = ["matmul_backward", "pipeline_1f1b"]
# entry = "Linear"
# ///
"""A zero-bubble pipeline splits each backward. The previous stage waits only for the gradient of the input, so this
gradient is computed at once. The gradient of the weights is computed later, when the stage would otherwise be idle.
Write the linear layer out = x W for such a pipeline, with W of shape (d, k):

- `Linear(W)` makes the layer. Its attribute `dW` is None.
- `forward(x)` takes a micro-batch x of shape (n, d) and returns x W. Micro-batches may differ in n. Several forwards
  may run before the first backward.
- `backward_input(g)` takes dL/dout of the oldest micro-batch that has had no backward yet. It returns dL/dx, and
  leaves `dW` as it is.
- `backward_weight()` takes the oldest micro-batch that has had a `backward_input` and no `backward_weight`. It adds
  the micro-batch's dL/dW to `dW` and returns None.

Compute the product for dL/dW only when `backward_weight` asks for it. Do not change x, g or W. Memory is graded: what
the layer keeps for one micro-batch grows with n·(d + k), not with d·k. A layer that keeps a product
instead of x and g fails. After `backward_weight`, the layer keeps nothing of the micro-batch.
"""


class Linear:
    def __init__(self, W):
        raise NotImplementedError
