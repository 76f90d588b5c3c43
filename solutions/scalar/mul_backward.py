"""Hold `other` fixed. Then `out` is a straight line in `self` with slope `other.data`. Hold `self` fixed, and the slope
in `other` is `self.data`. So each operand receives `out.grad` times the value of the *other* operand. Unlike the
backward of a sum, this backward needs values from the forward: both operands.

Use `+=`, because a node's gradient is the sum over its consumers. `z = x * x` shows it: at x = 3 the two additions give
3 + 3 = 6 = 2x, and an assignment gives 3.

Cost: two products and two additions; the forward has one product. Both operands' values must be kept until backward has
run, but they need no copy.

PyTorch: `MulBackward0` saves `other` only if `self` needs a gradient, and `self` only if `other` does. It saves
references; for `x * x` both refer to the same memory. A factor that is a plain number is not saved as a tensor. For
complex numbers the factor is the conjugate of the other operand.

Asked next:

- `other` is changed in place between forward and backward. What does your closure compute, and what does PyTorch
  do? → The closure reads the new value and returns a wrong gradient without an error. PyTorch compares the tensor's
  version with the one it saved and raises `... has been modified by an inplace operation`.
- How would you compute the gradients of a product of n numbers in O(n), zeros included? → Each gradient is the product
  of all the other factors: the product of those before it times the product of those after it. One sweep in each
  direction gives all of these products. Dividing the whole product by x_i fails at 0.
- What must change for second derivatives? → The gradients must be nodes instead of floats, so that `other * out.grad`
  is itself recorded. Then `self * other` has the mixed second derivative 1 and the two others 0, and `x * x` has 2.
- `out.grad` is 0 and `other.data` is infinite. What does `self` receive? → NaN, because 0 times infinity is NaN,
  although a small change of `out` would not move L. In the same way, a branch that `torch.where` did not choose can
  still put NaN into a gradient.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Hold `other` fixed. Then `out` is a straight line in `self`: what is its slope?",
    "Each operand receives `out.grad` times the value of the other operand, added to what is already there.",
    "Two lines. The first is `self.grad += ...`, a product of one `.data` and one `.grad`. The second mirrors it.",
)
CASES = [
    given("self[] other[]"),
    given("self[] other[]", self=5e-324, other=2.5, note="the smallest positive float"),
]


def forward(self, other):
    return self * other


def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad


@mistake(
    "assign",
    "a node has exactly one consumer, so its gradient is written only once",
    "Try z = x * x by hand: what should dz/dx be, and what does your code give?",
)
def mul_backward(self, other, out):
    self.grad = other.data * out.grad
    other.grad = self.data * out.grad


@mistake(
    "own-operand",
    "an operand's slope is the operand itself",
    "Hold `other` fixed: what is the slope of `out` as `self` moves?",
)
def mul_backward(self, other, out):
    self.grad += self.data * out.grad
    other.grad += other.data * out.grad


@mistake(
    "no-upstream",
    "the local derivative is the whole answer",
    "You have dout/dself, but the node must receive dL/dself. Which factor is missing?",
)
def mul_backward(self, other, out):
    self.grad += other.data
    other.grad += self.data


@mistake(
    "grad-for-data",
    "a local derivative is evaluated at stored gradients",
    "Local derivatives are evaluated at forward values. Which attribute holds them?",
)
def mul_backward(self, other, out):
    self_grad, other_grad = self.grad, other.grad
    self.grad += other_grad * out.grad
    other.grad += self_grad * out.grad


@mistake(
    "grad-for-data-in-turn",
    "a local derivative is evaluated at stored gradients",
    "Local derivatives are evaluated at forward values. Which attribute holds them?",
)
def mul_backward(self, other, out):
    self.grad += other.grad * out.grad
    other.grad += self.grad * out.grad


@mistake(
    "divides-out",
    "`out` divided by one operand always gives the other",
    "If the product underflows, how many digits of the other operand does it still contain?",
)
def mul_backward(self, other, out):
    self.grad += (out.data / self.data if self.data else other.data) * out.grad
    other.grad += (out.data / other.data if other.data else self.data) * out.grad
