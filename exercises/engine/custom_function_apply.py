# /// autodrill
# title = "Applying a custom autograd Function"
# kind = "program"
# difficulty = "hard"
# minutes = 12
# topics = ["custom", "engine"]
# requires = ["backward_engine"]
# entry = "custom_function_apply Node"
# ///
"""A custom function is a class with two static methods, as in
`torch.autograd.Function`:

    forward(ctx, *values)    returns the value; may store things in ctx
    backward(ctx, g)         returns one gradient for each argument of forward,
                             and None for an argument without a gradient

Write `custom_function_apply(fn, *args)`, which applies such a class and returns a new
`Node`. It calls `fn.forward` with each `Node` among `args` replaced by its `.data`, and
passes every other argument unchanged. The new node's `_prev` is a tuple of the nodes
among `args`. The new node's `_backward` calls `fn.backward` with the new node's `.grad`
and adds the results to the gradients of those nodes. `fn.backward` may return a single
gradient without a tuple. If the number of gradients is not the number of arguments,
`_backward` raises a RuntimeError. All values and gradients are numbers, not arrays.
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
