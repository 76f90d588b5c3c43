class Ctx:
    saved_tensors = ()

    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Ctx()
    out = Node(fn.forward(ctx, *[a.data if isinstance(a, Node) else a for a in args]))
    out._prev = tuple(a for a in args if isinstance(a, Node))

    def backward():
        grads = fn.backward(ctx, out.grad)
        if not isinstance(grads, tuple):
            grads = (grads,)
        if len(grads) != len(args):
            raise RuntimeError("one gradient for each argument")
        for a, g in zip(args, grads):
            if isinstance(a, Node) and g is not None:
                a.grad += g

    out._backward = backward
    return out
