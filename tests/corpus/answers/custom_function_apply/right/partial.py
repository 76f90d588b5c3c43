from dataclasses import dataclass, field
from functools import partial


@dataclass
class Context:
    saved_tensors: tuple = ()

    def save_for_backward(self, *values):
        self.saved_tensors = values


@dataclass(eq=False)
class Node:
    data: float
    prev: tuple = ()
    grad: float = 0.0
    _backward: object = field(default=lambda: None)

    @property
    def _prev(self):
        return self.prev


def deliver(fn, ctx, args, out):
    grads = fn.backward(ctx, out.grad)
    if type(grads) is not tuple:
        grads = (grads,)
    try:
        pairs = list(zip(args, grads, strict=True))
    except ValueError as error:
        raise RuntimeError(f"{fn.__name__}.backward: {error}") from error
    for arg, grad in pairs:
        if type(arg) is Node and grad is not None:
            arg.grad = arg.grad + grad


def custom_function_apply(fn, *args):
    ctx = Context()
    nodes = [arg for arg in args if type(arg) is Node]
    out = Node(fn.forward(ctx, *(arg.data if type(arg) is Node else arg for arg in args)), (*nodes,))
    out._backward = partial(deliver, fn, ctx, args, out)
    return out
