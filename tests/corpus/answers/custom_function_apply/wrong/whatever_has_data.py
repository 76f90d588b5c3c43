class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(arg for arg in args if hasattr(arg, "data"))
    out = Node(fn.forward(ctx, *[getattr(arg, "data", arg) for arg in args]), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        if not isinstance(grads, tuple):
            grads = (grads,)
        if len(grads) != len(args):
            raise RuntimeError("one gradient for each argument, please")
        for arg, grad in zip(args, grads):
            if hasattr(arg, "grad") and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out
