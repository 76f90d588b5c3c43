from dataclasses import dataclass, field
from typing import Any, Callable


class Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values


@dataclass(eq=False)
class Node:
    data: Any
    _prev: tuple = ()
    grad: float = 0.0
    _backward: Callable[[], None] = field(default=lambda: None, repr=False)


def custom_function_apply(fn, *args):
    ctx = Context()
    out = Node(fn.forward(ctx, *(getattr(a, "data", a) if isinstance(a, Node) else a for a in args)))
    out._prev = tuple(filter(lambda a: isinstance(a, Node), args))

    def backward():
        result = fn.backward(ctx, out.grad)
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(args):
            raise RuntimeError("wrong number of gradients")
        for a, d in zip(args, result):
            match (a, d):
                case (Node(), None):
                    pass
                case (Node(), _):
                    a.grad += d

    out._backward = backward
    return out
