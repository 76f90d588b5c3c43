class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values
class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None
def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = tuple(a for a in args if isinstance(a, Node))
    out = Node(fn.forward(ctx, *[a.data if isinstance(a, Node) else a for a in args]), nodes)
    def backward():
        grads = fn.backward(ctx, out.grad)
        if not isinstance(grads, tuple): grads = (grads,)
        if len(grads) != len(args): raise RuntimeError('count')
        for n, gr in zip(nodes, grads):
            if gr is not None: n.grad += gr
    out._backward = backward
    return out
