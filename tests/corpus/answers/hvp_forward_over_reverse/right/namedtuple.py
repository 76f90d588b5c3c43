import math
from typing import NamedTuple


class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, data * 0.0, prev
        self._backward = lambda: None

    def __add__(self, other):
        out = Node(self.data + other.data, (self, other))

        def backward():
            self.grad = self.grad + out.grad
            other.grad = other.grad + out.grad

        out._backward = backward
        return out

    def __mul__(self, other):
        out = Node(self.data * other.data, (self, other))

        def backward():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = backward
        return out

    def sin(self):
        out = Node(self.data.sin(), (self,))

        def backward():
            self.grad = self.grad + self.data.cos() * out.grad

        out._backward = backward
        return out

    def backward(self):
        order, stack, seen = [], [(self, False)], set()
        while stack:
            node, left = stack.pop()
            if left:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack += [(node, True), *((source, False) for source in node._prev)]
        self.grad = self.data * 0.0 + 1.0
        for node in reversed(order):
            node._backward()


class Dual(NamedTuple):
    value: float
    tangent: float = 0.0

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return self._replace(value=self.value + other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Dual(other * self.value, other * self.tangent)
        return Dual(self.value * other.value, self.value * other.tangent + other.value * self.tangent)

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return Dual(math.sin(self.value), self.tangent * math.cos(self.value))

    def cos(self):
        return Dual(math.cos(self.value), -self.tangent * math.sin(self.value))


def hvp_forward_over_reverse(build, x, v):
    inputs = []
    for value, direction in zip(x, v):
        inputs.append(Node(Dual(value, direction)))
    loss = build(inputs)
    loss.backward()
    return [node.grad.tangent for node in inputs]
