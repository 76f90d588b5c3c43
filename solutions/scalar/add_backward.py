"""Hold `other` still and move `self` by h: `out` moves by h. Both local derivatives are 1, so each operand receives
`out.grad` unchanged: a sum hands its gradient out like a copying machine.

The `+=` is the other half of the answer. A node's gradient is a sum over all its consumers, and this closure knows of
one only. In `z = x + x` the two operands are one node: it must end up with `2 * out.grad`, which `=` would turn into
`out.grad`.

Cost: two additions where the forward has one, and nothing to keep: neither slope depends on a value.

PyTorch: `AddBackward0` saves no tensor, for the same reason, only the number `alpha` of `torch.add(a, b, alpha=...)`;
so operands may be changed in place before backward. The gradient is not copied either: of operands of one shape and
dtype, `torch.autograd.grad(a + b, (a, b), g)` returns one tensor twice.

Asked next:

- Now the nodes hold arrays, `.grad` starts as None, and the first contribution is stored by `self.grad = out.grad`.
  What is the trap? → Both operands and `out` then share one array, and the next `+=`, which works in place on arrays,
  changes the gradient of all three. Copy the first time, or add out of place.
- `self` has shape (2, 3) and `other` shape (3,). What is `other`'s contribution? → The forward used each of its
  elements once a row, so it is `out.grad` summed over the rows, of shape (3,) again.
- When may an engine run this closure? → Once `out.grad` is complete, that is, when the closures of all consumers of
  `out` have run: reverse topological order. Run too early, it hands on a part, and run again later, it hands on that
  part twice.
- With L = (x + y) + w, somebody runs all closures twice and resets nothing but L's gradient to 1. What does x
  have? → 3, not 2: the inner node still has its 1 from the first time, so it hands on 1 and then 2. PyTorch gives 2,
  as gradients of inner nodes do not outlive a backward there.
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
