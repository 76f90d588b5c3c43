"""With `other` held still, `out` is a straight line in `self` of slope `other.data`; and the other way round. So each
operand receives `out.grad` times the *other* operand's value. Unlike a sum, a product has a backward that needs values
of the forward: these two.

`+=`, because a node's gradient is the sum over its consumers. `z = x * x` proves the point: at x = 3 the two additions
give 3 + 3 = 6 = 2x, an assignment gives 3.

Cost: two products and two additions where the forward has one product. Both operands' values must be kept, though not
copied, until backward has run.

PyTorch: `MulBackward0` saves `other` only if `self` needs a gradient, and `self` only if `other` does; a plain number
as a factor is not saved as a tensor. What is saved is a reference: for `x * x` the same memory twice. For complex
numbers the factor is the conjugate of the other operand.

Asked next:

- Between forward and backward somebody changes `other` in place. What do you compute, and what does PyTorch do? → This
  closure reads the new value and is silently wrong. PyTorch compares the tensor's version with the one it saved and
  raises: `... has been modified by an inplace operation`.
- How would you get the gradients of a product of n numbers in O(n), zeros included? → Each is the product of all the
  others: the product of those before it times the product of those after it, from one sweep each way. Dividing the
  whole product by x_i fails at 0.
- What must change for second derivatives? → The gradients must be nodes and not floats, so that `other * out.grad` is
  itself recorded. Then `self * other` has 1 as its mixed second derivative and 0 for the other two, and `x * x` gets
  2.
- `out.grad` is 0 and `other.data` is infinite. What does `self` get? → 0 times infinity, so NaN, although no change of
  `out` would matter. That is how a branch that `torch.where` did not choose can still spoil a gradient.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Hold `other` fixed. `out` is then a straight line in `self`: what is its slope?",
    "Each operand gets `out.grad` times the value of the other operand, added to what is already there.",
    "The first of two lines: `self.grad += ...`, a product of one `.data` and one `.grad`. The second mirrors it.",
)
CASES = [
    given("self[] other[]"),
    given("self[] other[]", self=5e-324, other=2.5, note="the smallest float"),
]


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


@mistake(
    "divides-out",
    "out divided by one operand is the other one",
    "The product underflows: how many digits of the other operand are left in it?",
)
def mul_backward(self, other, out):
    self.grad += (out.data / self.data if self.data else other.data) * out.grad
    other.grad += (out.data / other.data if other.data else self.data) * out.grad
