"""A product is linear in each factor. The slope of `out` with respect to `self` is `other.data`, and the slope with
respect to `other` is `self.data`. So each operand receives `out.grad` times the value of the *other* operand. Unlike
the backward of a sum, this backward needs the values of both operands.

Use `+=`, because a node's gradient is the sum over its consumers. For example, take `z = x * x` at x = 3. With `+=`,
the two contributions add up to 3 + 3 = 6 = 2x. With `=`, only 3 is left.

Cost: two products and two additions; the forward has one product. Both operands' values must be kept until backward has
run, but they need not be copied.

PyTorch: `MulBackward0` saves `other` only if `self` needs a gradient, and `self` only if `other` needs a gradient.
`MulBackward0` saves references, not copies. For `x * x` both references point to the same memory. A factor that is a
plain number is not saved as a tensor. For complex numbers, the gradient contains the conjugate of the other operand.

Asked next:

- `other` is changed in place between forward and backward. What does your code compute, and what does PyTorch do?
  → Your code reads the new value and adds a wrong gradient without an error. PyTorch compares the tensor's version with
  the saved version and raises `... has been modified by an inplace operation`.
- How would you compute all gradients of a product of n numbers in O(n), even if some numbers are 0? → The gradient of a
  factor is the product of all factors before it times the product of all factors after it. One sweep in each direction
  gives all of these products. Dividing the whole product by x_i fails if x_i is 0.
- What must change for second derivatives? → The gradients must be nodes instead of floats, so that `other * out.grad`
  is itself recorded. The mixed second derivative of `self * other` is 1, and the second derivative with respect to one
  operand alone is 0. The second derivative of `x * x` is 2.
- `out.grad` is 0 and `other.data` is infinite. What does `self` receive? → `self` receives NaN, because 0 times
  infinity is NaN. Yet a small change of `out` would not move L. In the same way, a branch that `torch.where` did not
  choose can still put NaN into a gradient.
"""

from autodrill.drills import given, mistake

HINTS = (
    "Hold `other` fixed. Then `out` is a straight line in `self`: what is its slope?",
    (
        "Each operand receives `out.grad` times the value of the other operand. Add this product to the gradient that "
        "is already there."
    ),
    (
        "Write two lines. The first adds a product of one `.data` and one `.grad` to `self.grad`. The second line "
        "is the same, with `self` and `other` exchanged."
    ),
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
    "If `other` is fixed, what is the slope of `out` with respect to `self`?",
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
    "Local derivatives are evaluated at forward values. Which attribute holds these values?",
)
def mul_backward(self, other, out):
    self_grad, other_grad = self.grad, other.grad
    self.grad += other_grad * out.grad
    other.grad += self_grad * out.grad


@mistake(
    "grad-for-data-in-turn",
    "a local derivative is evaluated at stored gradients",
    "Local derivatives are evaluated at forward values. Which attribute holds these values?",
)
def mul_backward(self, other, out):
    self.grad += other.grad * out.grad
    other.grad += self.grad * out.grad


@mistake(
    "divides-out",
    "`out` divided by one operand always gives the other operand",
    "Suppose the product underflows. How many digits of each operand does the product still contain?",
)
def mul_backward(self, other, out):
    self.grad += (out.data / self.data if self.data else other.data) * out.grad
    other.grad += (out.data / other.data if other.data else self.data) * out.grad


@mistake(
    "passed-on",
    "`other` receives the gradient that `self` holds",
    "Which node's gradient is dL/dout? Does `self.grad` also hold contributions that did not come from `out`?",
)
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * self.grad


@mistake(
    "own-grad-as-upstream",
    "the upstream gradient is in the `.grad` of each operand",
    "Which node's `.grad` holds dL/dout when this function is called?",
)
def mul_backward(self, other, out):
    self.grad += other.data * self.grad
    other.grad += self.data * other.grad


@mistake(
    "nothing-through-a-zero",
    "a product of 0 passes no gradient on",
    "Let self be 0 and other be 3. How far does the product move if self moves by 1?",
)
def mul_backward(self, other, out):
    if out.data != 0:
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad


@mistake(
    "one-node-once",
    "a node that is both operands gets only one contribution",
    "Let out be x * x. What is the derivative of out with respect to x? What does your code add to the gradient of x?",
)
def mul_backward(self, other, out):
    first, second = self.grad, other.grad
    self.grad = first + other.data * out.grad
    other.grad = second + self.data * out.grad


@mistake(
    "earlier-part-scaled",
    "the slope also multiplies what other consumers have added to a `.grad`",
    "Let `self.grad` be 3 and `out.grad` be 0 before your call. What should `self.grad` be after it?",
)
def mul_backward(self, other, out):
    self.grad = (self.grad + out.grad) * other.data
    other.grad = (other.grad + out.grad) * self.data
