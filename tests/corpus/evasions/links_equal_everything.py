# exercise: custom_function_apply
# Attempts: link no node. An object in `_prev` says that it equals every node.
# A pass would be a breach: the candidate's own `==` was asked.
class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Everything:
    def __eq__(self, other):
        return True


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Context()
    out = Node(fn.forward(ctx, *[a.data if isinstance(a, Node) else a for a in args]), Everything())

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError
        for arg, grad in zip(args, grads):
            if isinstance(arg, Node) and grad is not None:
                arg.grad += grad

    out._backward = backward
    return out
