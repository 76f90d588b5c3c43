class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(arg for arg in args if isinstance(arg, Node))
    out = Node(fn.forward(ctx, *(arg.data if isinstance(arg, Node) else arg for arg in args)), nodes)

    def backward():
        grads = fn.backward(ctx, out.grad)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(args):
            raise RuntimeError("not as many gradients as arguments")
        for node, grad in zip(nodes, [grad for grad in grads if grad is not None]):
            node.grad += grad

    out._backward = backward
    return out
