"""With `other` held still, `out` is a straight line in `self` of slope `other.data`; and the other way round. So each
operand receives `out.grad` times the *other* operand's value. Those two values are what the forward pass has to keep:
a product is the simplest operation whose backward needs memory.

`+=`, because a node's gradient is the sum over its consumers. `z = x * x` proves the point: at x = 3 the two
additions give 3 + 3 = 6 = 2x, an assignment gives 3.

In PyTorch this is `MulBackward0`; it saves `other` only if `self` needs a gradient, and `self` only if `other` does.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Hold `other` fixed. `out` is then a straight line in `self`: what is its slope?",
    "Each operand gets `out.grad` times the value of the other operand, added to what is already there.",
    "The first of two lines: `self.grad += ...`, a product of one `.data` and one `.grad`. The second mirrors it.",
)
CASES = [given("self[] other[]")]


def forward(self, other):
    return self * other


def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient can be written once",
    "Try z = x * x by hand: what should dz/dx be, and what does your code give?",
)
def mul_backward(self, other, out):
    self.grad = other.data * out.grad
    other.grad = self.data * out.grad


@mistake(
    "own-operand",
    "an operand's slope is the operand itself",
    "Hold `other` fixed: what is the slope of out as `self` moves?",
)
def mul_backward(self, other, out):
    self.grad += self.data * out.grad
    other.grad += other.data * out.grad


@mistake(
    "no-upstream", "the local derivative is the whole answer", "You have dout/dself; the node must receive dL/dself."
)
def mul_backward(self, other, out):
    self.grad += other.data
    other.grad += self.data


@mistake(
    "grad-for-data",
    "stored values and stored gradients are the same thing",
    "Local derivatives are evaluated at forward values. Which attribute holds those?",
)
def mul_backward(self, other, out):
    self_grad, other_grad = self.grad, other.grad
    self.grad += other_grad * out.grad
    other.grad += self_grad * out.grad


@mistake(
    "grad-for-data-in-turn",
    "stored values and stored gradients are the same thing",
    "Local derivatives are evaluated at forward values. Which attribute holds those?",
)
def mul_backward(self, other, out):
    self.grad += other.grad * out.grad
    other.grad += self.grad * out.grad
