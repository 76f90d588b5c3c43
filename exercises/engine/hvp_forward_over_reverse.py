# /// autodrill
# title = "Hessian-vector product, forward over reverse"
# kind = "program"
# difficulty = "expert"
# minutes = 30
# topics = ["higher-order", "modes"]
# requires = ["backward_engine"]
# ///
"""`Node` is a reverse-mode engine that does not depend on the type of its `.data`: any
type with `+`, `*`, `.sin()` and `.cos()` works. If you give the engine numbers that
carry a tangent, the gradients that it computes carry tangents too.

Write `Dual`, a number a + b·ε with ε² = 0. Then use `Dual` to write

    hvp_forward_over_reverse(build, x, v)

`build(nodes)` computes a scalar node from a list of nodes, by `+`, `*` and `.sin()`.
`x` and `v` are lists of floats. Return the list H v, where H is the Hessian of that
scalar at x. Call `build` once, so that your function costs no more than a few gradients.
Do not change `x` or `v`.
"""


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
                stack.append((node, True))
                stack += [(source, False) for source in node._prev]
        self.grad = self.data * 0.0 + 1.0
        for node in reversed(order):
            node._backward()


class Dual:
    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent


def hvp_forward_over_reverse(build, x, v):
    raise NotImplementedError
