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
    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent
    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.value + o.value, self.tangent + o.tangent)
    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.value * o.value, self.value * o.tangent + self.tangent * o.value)
    def sin(self): return Dual(math.sin(self.value), math.cos(self.value) * self.tangent)
    def cos(self): return Dual(math.cos(self.value), -math.sin(self.value))
def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(Dual(a, b)) for a, b in zip(x, v)]
    build(nodes).backward()
    return [n.grad.tangent for n in nodes]
