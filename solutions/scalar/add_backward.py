"""Hold `other` still and move `self` by h: `out` moves by h. Both local derivatives are 1, so each operand receives
`out.grad` unchanged: a sum hands its gradient out like a copying machine.

The `+=` is the other half of the answer. A node's gradient is a sum over all its consumers, and this closure knows of
one only. In `z = x + x` the two operands are one node: it must end up with `2 * out.grad`, which `=` would turn into
`out.grad`.

PyTorch saves nothing at all for an addition, for the same reason: neither slope depends on a value.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Nudge `self.data` up by a little. By how much does `out.data` move?",
    (
        "Chain rule: what arrives at an operand is `out.grad` times the local derivative, and a node's gradient "
        "is the sum over all its consumers."
    ),
    "Two lines, one an operand, each of the form `node.grad += ...`, with no `.data` in them.",
)
CASES = [given("self[] other[]")]


def forward(self, other):
    return self + other


def add_backward(self, other, out):
    self.grad += out.grad
    other.grad += out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient can be written once",
    "What happens to the first contribution when one node feeds two operations, or appears twice in this one?",
)
def add_backward(self, other, out):
    self.grad = out.grad
    other.grad = out.grad


@mistake(
    "seed-one", "the local derivative, 1, is the whole answer", "You have dout/dself. Which factor makes it dL/dself?"
)
def add_backward(self, other, out):
    self.grad += 1.0
    other.grad += 1.0


@mistake(
    "times-data",
    "a sum follows the pattern of a product",
    "Differentiate a + b with respect to a: does the value of a appear?",
)
def add_backward(self, other, out):
    self.grad += self.data * out.grad
    other.grad += other.data * out.grad


@mistake(
    "product-rule",
    "a sum follows the pattern of a product",
    "Differentiate a + b with respect to a: does the value of b appear?",
)
def add_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
