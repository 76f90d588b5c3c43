"""ReLU is a gate. If the input is positive, the gate is open: the slope is 1, and the gradient passes unchanged,
whatever the gradient's sign. If the input is negative, the gate is closed: the slope is 0, and nothing passes.

At 0 every number in [0, 1] is a subgradient. PyTorch, TensorFlow and `jax.nn.relu` pick 0, so the test is a strict `>`.
Testing `out.data` gives the same result as testing `self.data`, even for −0.0. Real layers test the output to save
memory. Then the input need not be saved, and the operation may run in place.

*Select* instead of multiplying by a mask. `(out.data > 0) * out.grad` is right for finite gradients, but `0 * inf` is
NaN. At a closed gate, a mask would turn an infinite gradient into NaN instead of 0.

Cost: one comparison, and one addition if the gate is open. Only one bit has to be saved. Saving the whole output takes
no extra memory if the next operation saves this array anyway. A matrix product, for example, saves its input for the
gradient of its weight.

PyTorch: `ReluBackward0` saves the result and selects, so an infinite or NaN gradient becomes 0 at a closed gate. Three
PyTorch operations for this function differ in their slope at 0: `torch.relu(x)` has slope 0, `x.clamp(min=0)` has slope
1 and `torch.maximum(x, torch.tensor(0.0))` has slope 1/2. If the input is NaN, PyTorch on the CPU passes the gradient
on, whereas the test `>` of this exercise drops the gradient.

Asked next:

- Which derivative does autodiff give for relu(x) - relu(-x) at 0, and which derivative is right? → The function equals
  x, so the right derivative is 1. Autodiff gives 0, in PyTorch too, because both terms have slope 0 at the kink.
  Autodiff differentiates each operation of the program, and conventions at kinks need not add up to the derivative.
- How would you check this backward numerically? → Use central differences at inputs on both sides of 0. The distance of
  an input from 0 must be larger than the step. At 0, central differences give 1/2 for any step. If the distance is
  smaller than the step, they give a number between 0 and 1. Test 0 itself against the convention.
- The input of a ReLU unit is negative for every sample. What happens to the unit? → No gradient passes the gate. The
  unit's weights and bias affect the loss through this gate only, so they receive no gradient: the unit is dead. The
  unit can recover only if something else moves its input, such as an update of the layers below. A leaky ReLU avoids
  this with a small slope at negative inputs.
- What is the second derivative of ReLU? → The second derivative is 0 on both sides of the kink. A network of ReLUs and
  linear layers is affine on each piece of its input space. On one piece, the loss is curved only if the loss function
  itself is curved.
"""

from math import inf

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, mistake

HINTS = (
    "On which side of 0 does the output move when the input moves, and by how much?",
    "The gradient passes unchanged if the output is positive. Otherwise, even at exactly 0, the gradient is dropped.",
    "Write one `if` on `out.data` with a strict comparison, and one `+=` under it.",
)
CASES = [
    given("self[]", self=away_from_zero()),
    given("self[]", self=-1.5, note="gate closed"),
    given("self[]", self=1000.0, note="gate wide open"),
    given("self[]", self=0.25, note="gate open, near 0"),
    given("self[]", self=-0.25, note="gate closed, near 0"),
    given("self[]", self=1e-300, smooth=False, note="gate open, input 1e-300"),
    given("self[]", self=0.0, smooth=False, note="exactly 0"),
    given("self[]", self=-0.0, smooth=False, note="exactly -0.0"),
    given("self[]", self=-1.0, g=inf, smooth=False, remark=True, note="infinite gradient at a closed gate"),
]
EQUIVALENT = {
    "comparison: if out.data > 0: -> if out.data != 0:": "the output of ReLU is never negative",
    "operand: if out.data > 0: -> if self.data > 0:": "the output is positive exactly if the input is",
}
MISTAKES = [
    edit(
        "tiny-is-zero",
        "a tiny positive input counts as 0",
        "By how much does max(0, x) move if x moves from 1e-300 to 2e-300? Which comparison decides in the task?",
        "out.data > 0 -> out.data > 1e-8",
    ),
    edit(
        "closed-above-6",
        "the gate closes again for large inputs",
        "Draw max(0, x). Is it flat anywhere right of 0?",
        "out.data > 0 -> 0 < out.data < 6",
    ),
]


def forward(self):
    return engine.relu(self)


def relu_backward(self, out):
    if out.data > 0:
        self.grad += out.grad


@mistake(
    "ge-at-kink",
    "an input of 0 counts as active",
    "At the kink, PyTorch, TensorFlow and jax.nn.relu use the same slope. Which comparison gives this slope?",
)
def relu_backward(self, out):
    if self.data >= 0:
        self.grad += out.grad


@mistake(
    "multiply-by-output",
    "the slope is the output's value",
    "For positive inputs ReLU has the same slope everywhere. What is this slope?",
)
def relu_backward(self, out):
    self.grad += out.data * out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient is written only once",
    "What happens to the first contribution if one node feeds two operations?",
)
def relu_backward(self, out):
    self.grad = out.grad if out.data > 0 else 0.0


@mistake(
    "no-upstream",
    "the local derivative is the whole answer",
    "If the loss is ten times larger, is your gradient ten times larger?",
)
def relu_backward(self, out):
    self.grad += 1.0 if out.data > 0 else 0.0


@mistake(
    "relu-of-upstream",
    "a negative upstream gradient is replaced by 0, as in guided backprop",
    "A negative upstream gradient is legitimate. Which rule says that it may be discarded?",
)
def relu_backward(self, out):
    if out.data > 0:
        self.grad += max(0.0, out.grad)


@mistake(
    "bool-times-inf",
    "multiplying by a 0/1 mask is the same as selecting",
    "Multiplying is right for every finite gradient. What is False * inf? Selecting is always safe.",
    remark=True,
)
def relu_backward(self, out):
    self.grad += (out.data > 0) * out.grad


@mistake(
    "gate-on-gradient",
    "the sign of the gradient opens and closes the gate",
    "The forward pass opened or closed the gate. Which value decided that?",
)
def relu_backward(self, out):
    self.grad += max(0.0, out.grad)


@mistake(
    "absolute-value",
    "a negative input has slope -1",
    "Draw max(0, x). What is its slope left of 0?",
)
def relu_backward(self, out):
    self.grad += ((self.data > 0) - (self.data < 0)) * out.grad


@mistake(
    "gate-inverted",
    "the gate opens below 0",
    "Draw max(0, x). On which side is it flat?",
)
def relu_backward(self, out):
    if out.data <= 0:
        self.grad += out.grad


@mistake(
    "leaky",
    "a negative input passes a hundredth of the gradient",
    "Which function has a small slope for negative inputs? Is it the one in the task?",
)
def relu_backward(self, out):
    self.grad += (1.0 if self.data > 0 else 0.01) * out.grad


@mistake(
    "clears-earlier-part",
    "a closed gate also discards what other consumers have added to `self.grad`",
    "Let `self.grad` be 3 before your call, and let the gate be closed. What should `self.grad` be after it?",
)
def relu_backward(self, out):
    if out.data > 0:
        self.grad += out.grad
    else:
        self.grad = 0.0
