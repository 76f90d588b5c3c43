class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev

    def _backward(self):
        pass


class Applied(Node):
    """A node that knows which function made it."""

    def __init__(self, fn, args):
        self.fn, self.args, self.ctx = fn, args, Context()
        values = []
        for arg in args:
            values.append(arg.data if isinstance(arg, Node) else arg)
        super().__init__(fn.forward(self.ctx, *values), tuple(filter(lambda arg: isinstance(arg, Node), args)))

    def _backward(self):
        grads = self.fn.backward(self.ctx, self.grad)
        if not isinstance(grads, (tuple, list)):
            grads = [grads]
        missing = len(self.args) - len(grads)
        if missing:
            raise RuntimeError(f"{missing} gradients missing")
        for i, arg in enumerate(self.args):
            if not isinstance(arg, Node) or grads[i] is None:
                continue
            arg.grad += grads[i]


def custom_function_apply(fn, *args):
    return Applied(fn, args)
