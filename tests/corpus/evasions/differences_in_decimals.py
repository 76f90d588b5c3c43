# exercise: hvp_forward_over_reverse
# Attempts: finite differences of two gradients, in decimals of 60 digits.
import math
from decimal import Decimal, getcontext

class Node:
    def __init__(self, data, prev=()):
        self.data, self.grad, self._prev = data, data * 0, prev
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
        s, c = sincos(self.data)
        out = Node(s, (self,))
        def backward():
            self.grad = self.grad + c * out.grad
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
                stack.append((node, True))
                stack += [(source, False) for source in node._prev]
        self.grad = self.data * 0 + 1
        for node in reversed(order):
            node._backward()

def sincos(x):
    n = max(0, int(abs(x)).bit_length() + 4)
    y = x / 2 ** n
    s, c, term = Decimal(0), Decimal(0), Decimal(1)
    for k in range(40):
        if k % 2 == 0:
            c += term if k % 4 == 0 else -term
        else:
            s += term if k % 4 == 1 else -term
        term = term * y / (k + 1)
    for _ in range(n):
        s, c = 2 * s * c, c * c - s * s
    return s, c

class Dual:
    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent

def hvp_forward_over_reverse(build, x, v):
    getcontext().prec = 60
    h = Decimal(10) ** -25
    found = []
    for sign in (1, -1):
        nodes = [Node(Decimal(a) + sign * h * Decimal(b)) for a, b in zip(x, v)]
        build(nodes).backward()
        found.append([node.grad for node in nodes])
    return [float((a - b) / (2 * h)) for a, b in zip(*found)]
