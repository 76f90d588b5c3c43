class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    ctx = Context()
    places = [(i, arg) for i, arg in enumerate(args) if isinstance(arg, Node)]
    values = [arg.data if isinstance(arg, Node) else arg for arg in args]
    out = Node(fn.forward(ctx, *values), tuple(node for _, node in places))

    def backward():
        grads = fn.backward(ctx, out.grad)
        if not isinstance(grads, tuple):
            grads = (grads,)
        if len(grads) != len(args):
            raise RuntimeError("one gradient for each argument, please")
        sums = [node.grad + (grads[i] or 0.0) for i, node in places]
        for (_, node), total in zip(places, sums):
            node.grad = total

    out._backward = backward
    return out
