"""The power `a**b` has two variables, so it has two VJP rules.

Hold the exponent b fixed. Then `a**b` is a power of a, and its slope is `b * a**(b-1)`.

Hold the base a fixed. Then `a**b` = exp(b·ln a) is an exponential in b, and its slope is `a**b` · ln a. The first
factor is `out.data`, so this rule computes no new power.

At base 0 the second rule gives 0·(−∞). For b > 0, `a**b` · ln a tends to 0 as a → 0, so by convention the slope is 0.
Base 0 needs a branch of its own: `math.log(0)` raises an exception, and a tensor library would compute 0·(−inf) = NaN.

In `x**x` both contributions go to one node, and their sum is `x**x` · (1 + ln x).

Cost: a power, a logarithm and a few products; the forward has one power. Base, exponent and result are saved. If the
exponent is a plain number, as in `x**3`, there is no logarithm to compute.

PyTorch: PyTorch has three backward nodes for powers. If the exponent is a number, `PowBackward0` saves the base. If
base and exponent are tensors, `PowBackward1` saves both and the result. If the base is a number, `PowBackward2` saves
the exponent and the result. At base 0 the exponent's gradient is 0 if the exponent is at least 0, and -inf if the
exponent is negative, as in `0**-1`. At a negative base the exponent's gradient is NaN. The base's gradient is still
right at a negative base if the exponent is an integer: it is 12 for `(-2)**3`.

Asked next:

- Base and exponent are both 0. What does your function do, and what does PyTorch do? → The base's rule computes `0 *
  0.0**-1`, and Python raises `ZeroDivisionError`. PyTorch returns 0 for both gradients. PyTorch has a branch for the
  exponent 0, because `a**0` is constant in a.
- Why not write exp(b · log(a)) and let autodiff find both rules? → At a = 0 and b = 2 the value is right, exp(-inf) =
  0, but both gradients are NaN. The base's gradient is 0 times infinity, and the exponent's gradient is 0 times minus
  infinity. Also, a negative base has no real logarithm, even if the exponent is an integer.
- What is the gradient of `x**0.5` at 0? → The slope is `0.5 * 0**-0.5`, which is infinite in PyTorch and raises an
  exception in Python. In PyTorch an upstream gradient of 0 then gives NaN. For example, a norm computed as the square
  root of a sum of squares gives NaN for a zero vector and breaks training. Add eps under the square root, or branch.
- Suppose the base is negative. Which of your two rules still holds? → The base's rule still holds for integer
  exponents. The exponent has no derivative at a negative base, because the power is not real for most exponents nearby.
  For the exponent your code adds 0 without an error, and PyTorch returns NaN.
"""

import math

from autodrill.drills import given, mistake, uniform

HINTS = (
    (
        "Hold the exponent fixed: which kind of function of the base is left? Then hold the base fixed: which kind of "
        "function of the exponent is left?"
    ),
    (
        "`a**b` is e to the power b·ln a. The power rule gives the slope with respect to the base. The slope with "
        "respect to the exponent has a factor ln a, and ln 0 does not exist."
    ),
    (
        "Write two `+=` lines. The first line has `other.data` as a factor and in the exponent. The second line is "
        "under an `if`."
    ),
)
CASES = [
    given("self[] other[]", self=uniform(0.3, 3)),
    given("self[] other[]", self=0.0, other=2.0, smooth=False, note="base 0, exponent 2"),
    given("self[] other[]", self=0.0, other=1.0, smooth=False, note="base 0, exponent 1"),
    given("self[] other[]", self=0.0, other=1.5, smooth=False, note="base 0, exponent 1.5"),
    given("self[] other[]", self=1e-20, other=0.0, smooth=False, note="base 1e-20, exponent 0"),
]
EQUIVALENT = {
    "comparison: if self.data > 0: -> if self.data != 0:": "the base is never negative",
    "operand: if self.data > 0: -> if out.data > 0:": "with a positive exponent, a power is 0 exactly if its base is 0",
}


def forward(self, other):
    return self**other


def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "no-log",
    "the slope of `a**b` with respect to b is `a**b` itself",
    "The slope of e**b is e**b. Is the slope of 2**b larger or smaller than 2**b, and by which factor?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * out.grad


@mistake(
    "same-rule",
    "the power rule also gives the exponent's gradient",
    "In 2**b, is the variable the base or the exponent?",
)
def pow_backward(self, other, out):
    slope = other.data * self.data ** (other.data - 1)
    self.grad += slope * out.grad
    other.grad += slope * out.grad


@mistake(
    "exponent-dropped",
    "the exponent is a constant",
    "Which of the two operands is a node?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad


@mistake(
    "log-of-zero",
    "the logarithm of the base always exists",
    "What is 0**b for b slightly above 2 and for b slightly below 2? What is the slope of 0**b with respect to b?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "same-power",
    "the power rule leaves the exponent as it is",
    "Is the slope of a² at a = 2 equal to 4 or to 8?",
)
def pow_backward(self, other, out):
    self.grad += other.data * out.data * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "log-of-exponent",
    "the slope with respect to the exponent contains the logarithm of the exponent",
    "Raise the exponent of 2**3 and of 9**3 by 1. Which power grows by the larger factor? Does your slope show this?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(other.data) * out.grad


@mistake(
    "log-bounded-below",
    "using the logarithm of 1e-12 for every base below 1e-12 changes the result only at base 0",
    (
        "What is the logarithm of the base 1e-20, and which number does your code use instead? Which is the only base "
        "that needs another rule?"
    ),
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(max(self.data, 1e-12)) * out.grad


@mistake(
    "log-of-exponent-if-positive",
    "the slope with respect to the exponent contains the logarithm of the exponent",
    "Raise the exponent of 2**3 and of 9**3 by 1. Which power grows by the larger factor? Does your slope show this?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0 and other.data > 0:
        other.grad += out.data * math.log(other.data) * out.grad


@mistake(
    "nothing-at-base-0",
    "at a base of 0 both gradients are 0",
    "With the exponent 1, the power is the base itself. What is the slope with respect to the base at 0?",
)
def pow_backward(self, other, out):
    if self.data == 0:
        return
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "no-exponent-slope-below-0",
    "only a positive exponent has a gradient",
    "Compare 2**-1 and 2**-1.1. Does the power move if a negative exponent moves?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0 and other.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "tiny-base-is-zero",
    "a tiny base counts as 0",
    "What is the logarithm of the base 1e-20? Which is the only base without a logarithm?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 1e-12:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "one-node-once",
    "a node that is both operands gets only one contribution",
    "Let out be x ** x. Which two slopes add up in the gradient of x? Which of them does your code keep?",
)
def pow_backward(self, other, out):
    first, second = self.grad, other.grad
    self.grad = first + other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad = second + out.data * math.log(self.data) * out.grad


@mistake(
    "exponent-0-is-constant",
    "a power with the exponent 0 does not move",
    "2**0 is 1. What is 2**0.1?",
)
def pow_backward(self, other, out):
    if other.data == 0:
        return
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad
