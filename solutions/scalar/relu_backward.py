"""ReLU is a gate. Open, its slope is 1 and the gradient passes unchanged, negative or not; closed, its slope is 0 and
nothing passes.

At 0 every number in [0, 1] is a subgradient; PyTorch, TensorFlow and `jax.nn.relu` pick 0, so the test is a strict
`>`. Testing `out.data` or `self.data` is the same test in floating point, -0.0 included. Real layers test the output
for memory: the input need not be kept, and the operation may run in place.

*Select*, do not multiply by a mask: `(out.data > 0) * out.grad` is right for finite gradients, but `0 * inf` is NaN,
so an overflow behind a closed gate would leak through it.

Cost: a comparison, and an addition where the gate is open. One bit is all that has to be kept; keeping the output
costs nothing more where the next operation keeps it anyway, as a matrix product that needs its weight's gradient does.

PyTorch: `ReluBackward0` keeps the result and selects: behind a closed gate an infinite or NaN gradient becomes 0. The
convention at 0 belongs to the operation, not to the function: there `torch.relu(x)` has slope 0, `x.clamp(min=0)` 1
and `torch.maximum(x, torch.tensor(0.0))` 1/2. A NaN input lets the gradient through on the CPU, which the test `>`
does not.

Asked next:

- What does autodiff give for relu(x) - relu(-x) at 0, and what is right? → The function is x, so 1 is right, and with
  slope 0 at the kink both terms give 0: the sum is 0, in PyTorch too. Autodiff differentiates the program's pieces,
  and a convention at a kink does not add up to a derivative.
- How would you check this backward numerically? → By central differences at inputs that are further than the step from
  0, on both sides. At 0 they give 1/2, for any step, and closer to it than the step something between 0 and 1; so hold
  0 itself against the convention.
- A unit's input is negative for every sample. What happens to it? → No gradient passes the gate, so nothing that
  reaches the loss through this unit alone, such as its weights and bias, gets any: it is dead unless something else
  moves its input, such as the layers below. A leaky ReLU keeps a small slope there.
- What is the second derivative? → 0 on both sides of the kink. A network of ReLUs and linear layers is affine on
  pieces of its input space, so on a piece all curvature in the input comes from the loss.
"""

from math import inf

from autodrill import engine
from autodrill.drills import away_from_zero, given, mistake

HINTS = (
    "On which side of 0 does moving the input move the output, and by how much?",
    "The gradient passes unchanged where the output is positive and is dropped elsewhere, at exactly 0 too.",
    "One `if` on `out.data` with a strict comparison, and one `+=` under it.",
)
CASES = [
    given("self[]", self=away_from_zero()),
    given("self[]", self=-1.5, note="closed gate"),
    given("self[]", self=1000.0, note="wide open gate"),
    given("self[]", self=0.25, note="just open"),
    given("self[]", self=-0.25, note="just closed"),
    given("self[]", self=1e-300, smooth=False, note="open by a hair"),
    given("self[]", self=0.0, smooth=False, note="exactly 0"),
    given("self[]", self=-0.0, smooth=False, note="exactly -0.0"),
    given("self[]", self=-1.0, g=inf, smooth=False, remark=True, note="infinite gradient at a closed gate"),
]
EQUIVALENT = {
    "comparison: if out.data > 0: -> if out.data != 0:": "the output of ReLU is never negative",
    "operand: if out.data > 0: -> if self.data > 0:": "the output is positive exactly where the input is",
}


def forward(self):
    return engine.relu(self)


def relu_backward(self, out):
    if out.data > 0:
        self.grad += out.grad


@mistake(
    "ge-at-kink", "0 counts as active", "At the kink PyTorch, TensorFlow and jax.nn.relu agree. Which test is yours?"
)
def relu_backward(self, out):
    if self.data >= 0:
        self.grad += out.grad


@mistake(
    "multiply-by-output",
    "the slope is the value",
    "On the active side the line has the same steepness everywhere. How steep?",
)
def relu_backward(self, out):
    self.grad += out.data * out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient can be written once",
    "What happens to the first contribution when one node feeds two operations?",
)
def relu_backward(self, out):
    self.grad = out.grad if out.data > 0 else 0.0


@mistake(
    "no-upstream",
    "the local derivative is the whole answer",
    "Make the loss ten times larger: does your gradient follow?",
)
def relu_backward(self, out):
    self.grad += 1.0 if out.data > 0 else 0.0


@mistake(
    "relu-of-upstream",
    "the gradient is clipped like the value: that is guided backprop, not backprop",
    "A negative upstream gradient is legitimate. Who said it may be discarded?",
)
def relu_backward(self, out):
    if out.data > 0:
        self.grad += max(0.0, out.grad)


@mistake(
    "bool-times-inf",
    "a 0/1 mask times the gradient is the same as selecting",
    "Right for every finite gradient. What is False * inf? Selecting is safe, multiplying is not.",
    remark=True,
)
def relu_backward(self, out):
    self.grad += (out.data > 0) * out.grad


@mistake(
    "gate-on-gradient",
    "the sign of the gradient opens and closes the gate",
    "The gate stood open or closed in the forward pass. Which value decided that?",
)
def relu_backward(self, out):
    self.grad += max(0.0, out.grad)


@mistake(
    "absolute-value",
    "a negative input has slope -1",
    "Draw max(0, x). How steep is it on the left?",
)
def relu_backward(self, out):
    self.grad += ((self.data > 0) - (self.data < 0)) * out.grad


@mistake("gate-inverted", "the gate opens below 0", "Draw max(0, x). On which side is it flat?")
def relu_backward(self, out):
    if out.data <= 0:
        self.grad += out.grad
