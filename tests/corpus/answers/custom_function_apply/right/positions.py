class Context:
    saved_tensors = ()

    def save_for_backward(self, *values):
        self.saved_tensors = tuple(values)


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, 0.0, prev
        self._backward = lambda: None


def custom_function_apply(fn, *args):
    where = {i: arg for i, arg in enumerate(args) if isinstance(arg, Node)}
    plain = list(args)
    for i, node in where.items():
        plain[i] = node.data
    context = Context()
    result = Node(fn.forward(context, *plain), prev=tuple(where.values()))

    def _backward(context=context):
        returned = fn.backward(context, result.grad)
        returned = returned if isinstance(returned, tuple) else tuple([returned])
        if not len(returned) == len(plain):
            raise RuntimeError
        for i, node in where.items():
            node.grad += returned[i] or 0.0

    result._backward = _backward
    return result
