"""The Hessian-vector product H v is the derivative of the gradient along v: d/dt ∇f(x + t v) at t = 0. So run all of
reverse mode on dual numbers, which carry a derivative with respect to t. Seed each input with its entry of v as
tangent, build the graph, and run backward. Every `.grad` is then a dual number. The value of this dual number is the
gradient. Its tangent is the rate at which the gradient changes along v, which is H v.

Dual numbers are forward mode: an operation f maps the pair (x, ẋ) of a value and its tangent to the pair
(f(x), f′(x)·ẋ). In a product the ε² term drops out: (a + bε)(c + dε) = ac + (ad + bc)ε. `Dual` needs `cos`, because
the closure of `sin` calls it.

Cost: one gradient, computed on numbers with two parts, for any size of x. A product of duals takes three products and
an addition, and the graph keeps twice as many numbers. The whole of H would take n such passes, one for each unit
vector.

PyTorch: forward over reverse is `torch.func.jvp(torch.func.grad(f), (x,), (v,))`, and in JAX it is `jvp(grad(f), (x,),
(v,))`. The tangents need no tape. But every operation must have a forward-mode formula, or PyTorch raises
NotImplementedError, as for `ctc_loss` in 2.13. `create_graph=True` with a second backward is reverse over reverse,
which keeps a graph of the first backward. `torch.autograd.functional.hvp` also uses reverse mode only. Its
documentation recommends the faster `vhp` if H is symmetric.

Asked next:

- How do you test a Hessian-vector product without H? → For a smooth f, H is symmetric, so u·(H v) = v·(H u) for random
  u and v. Compare H v with (∇f(x + hv) − ∇f(x − hv)) / 2h as well. Symmetry alone is not enough: an answer that uses
  only the diagonal of H passes the symmetry test.
- What can you compute if you have only Hessian-vector products? → Conjugate gradients give Newton steps if H is
  positive definite or damped. Power iteration gives the eigenvalue of largest magnitude. The mean of z ∘ (H z) over
  vectors z of random signs gives the diagonal of H.
- You add exp to the engine. What must be written, and where? → Write two methods. `Dual.exp` returns the value e^a and
  the tangent e^a·b. `Node.exp` has a closure that multiplies by the exp of the node's data. You write no second
  derivative, because the closure runs on duals.
- What is H v for a network of ReLUs with a linear output? → With respect to the input, H v is 0 away from kinks,
  because the network is piecewise linear. With respect to the weights of more than one layer, H v is in general not 0,
  because weights of different layers are multiplied. A loss function after the network adds curvature of its own.
"""

import math

import numpy as np

from autodrill import engine
from autodrill.drills import edit, mistake, scenario

HINTS = (
    "H v is the derivative along v of a vector that you can compute. Which vector?",
    (
        "Let every input be a dual number with tangent v_i. The engine's VJP rules then compute gradients that carry "
        "tangents as well."
    ),
    (
        "Build the graph from nodes that hold duals, run backward, and return one part of every leaf's `.grad`. "
        "`Dual` must also accept plain numbers."
    ),
)
WRT = ("x",)
RESULTS = ("H v",)


@scenario(2, 3, 5, 8, note="a random function")
def random_function(rng, size):
    inputs = int(rng.integers(1, 4))
    ops = [[int(rng.integers(3)), n - 1, int(rng.integers(n))] for n in range(inputs, inputs + size)]
    x, v = rng.normal(size=inputs), rng.normal(size=inputs)
    while largest_value(x, ops) > 4:  # finite differences cannot resolve sin(1000 x)
        x /= 1.2
    return {"x": x, "v": v, "ops": ops}


def largest_value(x, ops):
    values = x.tolist()
    for op, i, j in ops:
        a, b = values[i], values[j]
        values.append(a + b if op == 0 else a * b if op == 1 else math.sin(a))
    return max(map(abs, values))


@scenario(3, note="a function that is not separable")
def inseparable(rng, size):
    # sin(x² y) + y³ z is not a sum of functions of one input, so its Hessian is not diagonal.
    ops = [[1, 0, 0], [1, 3, 1], [2, 4, 4], [1, 1, 1], [1, 6, 1], [1, 7, 2], [0, 5, 8]]
    return {"x": rng.normal(size=3), "v": rng.normal(size=3), "ops": ops}


@scenario(3, note="v is a unit vector")
def column(rng, size):
    return {**inseparable.make(rng, 3), "v": np.array([0.0, 1.0, 0.0])}


@scenario(3, note="v = 0")
def nothing(rng, size):
    return {**inseparable.make(rng, 3), "v": np.zeros(3)}


@scenario(3, note="an input of 0")
def zero_input(rng, size):
    # x y z + sin(x) + z x: the adjoint of x y is z. It is 0, and its tangent is not.
    ops = [[1, 0, 1], [1, 3, 2], [2, 0, 0], [0, 4, 5], [1, 2, 0], [0, 6, 7]]
    return {"x": np.array([*rng.normal(size=2), 0.0]), "v": rng.uniform(0.5, 2, 3), "ops": ops}


@scenario(8, note="many inputs")
def many(rng, size):
    # sin(x₁x₂ + x₂x₃ + ...): work that is done for each input is done eight times.
    products = [[1, i, (i + 1) % size] for i in range(size)]
    sums = [[0, size, size + 1 if size > 1 else size], *([0, 2 * size + i, size + 2 + i] for i in range(size - 2))]
    return {"x": rng.normal(size=size), "v": rng.normal(size=size), "ops": [*products, *sums, [2, -1, -1]]}


# `drive` counts builds in the candidate's own process. Processor time is bounded from outside, and a build for each
# input takes far more than 20 times that of the worked solution.
@scenario(2000, note="very many inputs", because="one build is enough")
def very_many(rng, size):
    ops, left = [[1, i, (i + 1) % size] for i in range(size)], [*range(size, 2 * size)]
    while len(left) > 1:  # a sum in pairs: a recursive backward may go only as deep as the graph
        a, b, *left = left
        left.append(size + len(ops))
        ops.append([0, a, b])
    return {"x": rng.normal(size=size), "v": rng.normal(size=size), "ops": np.array([*ops, [2, -1, -1]])}


CASES = [random_function, inseparable, column, nothing, zero_input, many, very_many]
MISTAKES = [
    edit(
        "zero-gradient-skipped",
        "a node whose gradient is 0 passes nothing on",
        "A node's `.grad` has two parts. Which part may differ from 0 if the other part is 0?",
        "node._backward() -> node.grad.value and node._backward()",
    ),
    edit(
        "zero-product-is-constant",
        "a product that is 0 has the tangent 0",
        "Expand (0 + b·ε)(c + d·ε). What is the factor of ε?",
        "other.value, tangent) -> other.value, tangent * bool(self.value and other.value))",
    ),
]


# The expected result is the gradient of the derivative along v: reverse over forward, the opposite order. Finite
# differences check this result.
def forward(x, v, ops):
    def f(x):
        if len(x) > 1000:  # the same function as `very_many` in a few operations
            return engine.sin((x * engine.roll(x, -1)).sum())
        values = [x[i] for i in range(len(x))]
        for op, i, j in ops:
            a, b = values[i], values[j]
            values.append(a + b if op == 0 else a * b if op == 1 else engine.sin(a))
        return values[-1]

    return engine.jvp(f, [x], [v])[1]


def drive(candidate, x, v, ops):
    class TooManyBuildsError(Exception):
        pass

    builds, steps = 0, np.asarray(ops).tolist()

    def build(nodes):
        nonlocal builds
        builds += 1
        if builds > 1:
            raise TooManyBuildsError(f"`build` is called more than once for {len(x)} inputs")
        values = list(nodes)
        for op, i, j in steps:
            a, b = values[i], values[j]
            values.append(a + b if op == 0 else a * b if op == 1 else a.sin())
        return values[-1]

    point, direction = x.tolist(), v.tolist()
    answer = candidate(build, point, direction)
    if (point, direction) != (x.tolist(), v.tolist()):
        x += 1  # the lists are copies; a change of them must be seen
    return {"H v": list(answer) if isinstance(answer, (list, tuple)) else answer}


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

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        tangent = self.tangent * other.value + self.value * other.tangent
        return Dual(self.value * other.value, tangent)

    def sin(self):
        return Dual(math.sin(self.value), math.cos(self.value) * self.tangent)

    def cos(self):
        return Dual(math.cos(self.value), -math.sin(self.value) * self.tangent)


def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(Dual(a, b)) for a, b in zip(x, v)]
    build(nodes).backward()
    return [node.grad.tangent for node in nodes]


@mistake(
    "grad-values",
    "the gradient that backward returns is the answer",
    "A leaf's `.grad` now has two parts. Which part is a derivative along v?",
)
def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(Dual(a, b)) for a, b in zip(x, v)]
    build(nodes).backward()
    return [node.grad.value for node in nodes]


@mistake(
    "grad-times-v",
    "the Hessian times v is the gradient times v",
    "H v is the rate at which the gradient changes along v. Does your result depend on the curvature at all?",
)
def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(Dual(a)) for a in x]
    build(nodes).backward()
    return [node.grad.value * b for node, b in zip(nodes, v)]


@mistake(
    "seeds-of-one",
    "every tangent starts at 1, as the adjoint of the root does",
    "Along which direction do all inputs move at speed 1? Is that direction v?",
)
def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(Dual(a, 1.0)) for a in x]
    build(nodes).backward()
    return [node.grad.tangent for node in nodes]


@mistake(
    "whole-hessian",
    "multiplying by the Hessian requires the Hessian",
    "For a million inputs, how many times do you build the graph? Along which direction could all inputs move at once?",
)
def hvp_forward_over_reverse(build, x, v):
    answer = [0.0] * len(x)
    for i in range(len(x)):
        nodes = [Node(Dual(a, float(j == i))) for j, a in enumerate(x)]
        build(nodes).backward()
        answer = [entry + node.grad.tangent * v[i] for entry, node in zip(answer, nodes)]
    return answer


@mistake(
    "differences",
    "a derivative along v is a difference of two gradients",
    "Which step is small enough to be accurate, and large enough to lose no digits? What do duals give you instead?",
)
def hvp_forward_over_reverse(build, x, v):
    def grad(step):
        nodes = [Node(Dual(a + step * b)) for a, b in zip(x, v)]
        build(nodes).backward()
        return [node.grad.value for node in nodes]

    return [(after - before) / 2e-5 for after, before in zip(grad(1e-5), grad(-1e-5))]


class ProductOfTangents(Dual):
    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return ProductOfTangents(self.value * other.value, self.tangent * other.tangent)

    def sin(self):
        return ProductOfTangents(math.sin(self.value), math.cos(self.value) * self.tangent)

    def cos(self):
        return ProductOfTangents(math.cos(self.value), -math.sin(self.value) * self.tangent)

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return ProductOfTangents(self.value + other.value, self.tangent + other.tangent)


@mistake(
    "tangent-lost",
    "no tangent reaches the gradients of the leaves",
    "Follow one tangent: where does it start, and what is the tangent of a product if only one factor moves?",
)
def hvp_forward_over_reverse(build, x, v):
    nodes = [Node(ProductOfTangents(a, b)) for a, b in zip(x, v)]
    build(nodes).backward()
    return [node.grad.tangent for node in nodes]


def product(build, x, v, dual):
    nodes = [Node(dual(a, b)) for a, b in zip(x, v)]
    build(nodes).backward()
    return [node.grad.tangent for node in nodes]


@mistake(
    "v-at-the-end",
    "every tangent starts at 1, and v multiplies the result",
    "H = [[0, 1], [1, 0]] and v = [1, 0]. What is H v, and what are the row sums of H times v?",
)
def hvp_forward_over_reverse(build, x, v):
    sums = product(build, x, [1.0] * len(x), Dual)
    return [entry * b for entry, b in zip(sums, v)]


def variant(mul=None, sin=None, cos=None, number=None):
    """A class of duals with other tangents for some operations. `number` gives a product with a plain number."""

    class Variant:
        def __init__(self, value, tangent=0.0):
            self.value, self.tangent = value, tangent

        def __add__(self, other):
            other = other if isinstance(other, Variant) else Variant(other)
            return Variant(self.value + other.value, self.tangent + other.tangent)

        def __mul__(self, other):
            if number and not isinstance(other, Variant):
                return Variant(self.value * other, number(self, other))
            other = other if isinstance(other, Variant) else Variant(other)
            tangent = self.tangent * other.value + self.value * other.tangent
            return Variant(self.value * other.value, mul(self, other) if mul else tangent)

        def sin(self):
            tangent = math.cos(self.value) * self.tangent
            return Variant(math.sin(self.value), sin(self) if sin else tangent)

        def cos(self):
            tangent = -math.sin(self.value) * self.tangent
            return Variant(math.cos(self.value), cos(self) if cos else tangent)

    return Variant


@mistake(
    "eps-squared-kept",
    "the product of the two tangents is part of the tangent of a product",
    "Expand (a + b·ε)(c + d·ε). Which power of ε does b·d have, and what is this power?",
)
def hvp_forward_over_reverse(build, x, v):
    def mul(a, b):
        return a.tangent * b.value + a.value * b.tangent + a.tangent * b.tangent

    return product(build, x, v, variant(mul=mul))


@mistake(
    "one-factor-moves",
    "only the first factor of a product has a tangent",
    "Expand (a + b·ε)(c + d·ε). How many of the terms contain ε to the power 1?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(mul=lambda a, b: a.tangent * b.value))


@mistake(
    "cos-rises",
    "the slope of cos is sin",
    "Does cos rise or fall just to the right of 0?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(cos=lambda a: math.sin(a.value) * a.tangent))


@mistake(
    "cos-without-tangent",
    "the slope cos(a) is a constant along v",
    "The closure of `sin` multiplies by cos(a). If a moves along v, does cos(a) move?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(cos=lambda a: 0.0))


@mistake(
    "sin-without-tangent",
    "the tangent of sin(a) is cos(a)",
    "f maps the pair (a, b) to (f(a), f'(a)·b). Which factor does your tangent lack?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(sin=lambda a: math.cos(a.value)))


@mistake(
    "number-keeps-tangent",
    "a dual times a plain number keeps its tangent",
    "Expand (a + b·ε)·c for a number c. What is the tangent of the product for c = 0?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(number=lambda a, c: a.tangent))


@mistake(
    "number-moves",
    "a plain number has the tangent 1",
    "A plain number c is a constant. How fast does c change along v?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(number=lambda a, c: a.tangent * c + a.value))


@mistake(
    "zero-entry-of-v",
    "if v_i is 0, the i-th entry of H v is 0",
    "H = [[0, 1], [1, 0]] and v = [1, 0]. What is the second entry of H v?",
)
def hvp_forward_over_reverse(build, x, v):
    return [entry if b else 0.0 for entry, b in zip(product(build, x, v, Dual), v)]


@mistake(
    "sin-falls",
    "the slope of sin is -cos",
    "Does sin rise or fall just to the right of 0?",
)
def hvp_forward_over_reverse(build, x, v):
    return product(build, x, v, variant(sin=lambda a: -math.cos(a.value) * a.tangent))
