# /// autodrill
# title = "What runs a custom Function"
# kind = "program"
# difficulty = "hard"
# minutes = 12
# topics = ["engine", "custom functions", "saved values"]
# requires = ["backward_engine"]
# entry = "custom_function_apply Node"
# ///
"""A custom function is a class with two static methods, as in `torch.autograd.Function`:

    forward(ctx, *values)      returns the value; may keep things in ctx
    backward(ctx, g)           returns one gradient for each argument of forward, None where there is none

Write what runs it: `custom_function_apply(fn, *args)` returns a new `Node` and calls `fn.forward` with each `Node`
among `args` replaced by its `.data`, and everything else as it is. The node's `_prev` is a tuple of the nodes among
`args`, and its `_backward` calls `fn.backward` with its own `.grad` and adds to the gradients of those nodes. A single
gradient need not be in a tuple. If there are not as many gradients as arguments, `_backward` raises a RuntimeError.
"""


class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    raise NotImplementedError
