import cmath

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
    """a + b eps, kept as a 2x2 matrix ((a, b), (0, a))."""

    def __init__(self, value, tangent=0.0):
        self.m = ((value, tangent), (0.0, value))

    value = property(lambda self: self.m[0][0])
    tangent = property(lambda self: self.m[0][1])

    @classmethod
    def lift(cls, o):
        return o if isinstance(o, cls) else cls(o)

    def __add__(self, o):
        o = Dual.lift(o)
        return Dual(self.value + o.value, self.tangent + o.tangent)

    def __mul__(self, o):
        o = Dual.lift(o)
        return Dual(self.value * o.value, self.value * o.tangent + self.tangent * o.value)

    def sin(self):
        return Dual(cmath.sin(self.value).real, cmath.cos(self.value).real * self.tangent)

    def cos(self):
        return Dual(cmath.cos(self.value).real, -cmath.sin(self.value).real * self.tangent)


def hvp_forward_over_reverse(build, x, v):
    nodes = list(map(lambda ab: Node(Dual(*ab)), zip(x, v)))
    build(nodes).backward()
    return tuple(node.grad.tangent for node in nodes)
