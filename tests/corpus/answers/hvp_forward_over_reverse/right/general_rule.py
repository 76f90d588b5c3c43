import math


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


class Dual:
    __slots__ = ("tangent", "value")

    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent

    @staticmethod
    def lift(a):
        return a if type(a) is Dual else Dual(a)

    def chain(self, f, slope):
        return Dual(f(self.value), slope(self.value) * self.tangent)

    def __add__(self, other):
        b = Dual.lift(other)
        return Dual(self.value + b.value, math.fsum((self.tangent, b.tangent)))

    def __mul__(self, other):
        b = Dual.lift(other)
        return Dual(self.value * b.value, math.fsum((self.tangent * b.value, self.value * b.tangent)))

    def sin(self):
        return self.chain(math.sin, math.cos)

    def cos(self):
        return self.chain(math.cos, lambda a: -math.sin(a))


def hvp_forward_over_reverse(build, x, v):
    points = list(map(Node, map(Dual, x, v)))
    build(points).backward()
    return [Dual.lift(point.grad).tangent for point in points]
