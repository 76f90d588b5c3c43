"""The local derivative of a sum is 1 with respect to each operand: if `self` moves by h and `other` is fixed, `out`
moves by h. So each operand receives `out.grad` unchanged.

The `+=` is as important as the slopes. A node's gradient is the sum over all its consumers, and `_backward` adds the
contribution of only one consumer, `out`. In `z = x + x` both operands are one node. That node must receive
`2 * out.grad`, but with `=` it receives only `out.grad`.

Cost: two additions, compared with one in the forward. Nothing is saved, because neither slope depends on a value.

PyTorch: `AddBackward0` saves no tensor, only the number `alpha` of `torch.add(a, b, alpha=...)`. So the operands may be
changed in place before backward. Backward does not copy the gradient. If the operands have the same shape and dtype,
`torch.autograd.grad(a + b, (a, b), g)` returns the same tensor twice.

Asked next:

- Suppose the nodes hold arrays, `.grad` starts as None, and the first contribution is stored by `self.grad = out.grad`.
  What goes wrong? → Both operands and `out` then share one array. The next `+=` works in place on arrays, so it changes
  all three gradients. Copy the first contribution, or add out of place.
- `self` has shape (2, 3) and `other` has shape (3,). What is the contribution to `other`? → The forward used each
  element of `other` once per row. So the contribution is `out.grad` summed over the rows, again of shape (3,).
- When may an engine run `_backward`? → The engine may run `_backward` when `out.grad` is complete, that is, after the
  `_backward` of every consumer of `out` has run. This order is called reverse topological. A `_backward` that runs too
  early passes on a partial gradient. If it runs again later, it passes this partial gradient on a second time.
- For L = (x + y) + w, suppose the `_backward` of each node runs twice, and only L's gradient is reset to 1 in between.
  What is x's gradient then? → x's gradient is 3 instead of 2. The node x + y keeps its gradient 1 from the first run,
  so it passes on 1 in the first run and 2 in the second. PyTorch gives 2, because it drops the gradients of inner nodes
  after a backward pass.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Move `self.data` up by a small amount. By how much does `out.data` move?",
    (
        "Chain rule: an operand receives `out.grad` times its local derivative. A node's gradient is the sum over "
        "all its consumers."
    ),
    "Write one line for each operand, of the form `node.grad += ...`. Neither line contains `.data`.",
)
CASES = [given("self[] other[]")]


def forward(self, other):
    return self + other


def add_backward(self, other, out):
    self.grad += out.grad
    other.grad += out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient is written only once",
    "What happens to the first contribution if one node feeds two operations, or if both operands are one node?",
)
def add_backward(self, other, out):
    self.grad = out.grad
    other.grad = out.grad


@mistake(
    "seed-one",
    "the answer is the local derivative, 1, without `out.grad`",
    "You have dout/dself. Which factor turns it into dL/dself?",
)
def add_backward(self, other, out):
    self.grad += 1.0
    other.grad += 1.0


@mistake(
    "times-data",
    "the backward of a sum multiplies `out.grad` by the operand's own value",
    "Differentiate `a + b` with respect to `a`: does the value of `a` appear?",
)
def add_backward(self, other, out):
    self.grad += self.data * out.grad
    other.grad += other.data * out.grad


@mistake(
    "product-rule",
    "the backward of a sum multiplies `out.grad` by the other operand, as for a product",
    "Differentiate `a + b` with respect to `a`: does the value of `b` appear?",
)
def add_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad


@mistake(
    "copied",
    "both operands have the same total gradient",
    "`other` may have consumers that `self` does not have. Which contributions does `other.grad` hold in your code?",
)
def add_backward(self, other, out):
    self.grad += out.grad
    other.grad = self.grad


@mistake(
    "adds-value",
    "the contribution is the value of `out`",
    "The chain rule multiplies a gradient by a slope. Which attribute of `out` holds a gradient?",
)
def add_backward(self, other, out):
    self.grad += out.data
    other.grad += out.data


@mistake(
    "one-node-once",
    "a node that is both operands gets only one contribution",
    "Let out be x + x. What is the derivative of out with respect to x? What does your code add to the gradient of x?",
)
def add_backward(self, other, out):
    first, second = self.grad, other.grad
    self.grad = first + out.grad
    other.grad = second + out.grad


@mistake(
    "nothing-stored",
    "a `_backward` need not change `.grad`",
    "Print `self.grad` and `other.grad` before and after your call. Which line should change them?",
)
def add_backward(self, other, out):
    return out.grad, out.grad


@mistake(
    "self-only",
    "only `self` receives a gradient",
    "Move `other.data` up by a small amount. Does `out.data` move?",
)
def add_backward(self, other, out):
    self.grad += out.grad


@mistake(
    "shared-out",
    "each operand gets half of `out.grad`",
    "Move only `self.data` by 1. Does `out.data` move by 1 or by a half?",
)
def add_backward(self, other, out):
    self.grad += out.grad / 2
    other.grad += out.grad / 2
