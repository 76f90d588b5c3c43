"""Two different rules, because base and exponent are two different variables. With the exponent b held still, `a**b`
is a power: its slope is `b * a**(b-1)`. With the base held still it is an exponential: write `a**b` as exp(b·ln a), so
its slope is ln a times itself. That second factor needs no new power, since `a**b` is `out.data`.

At base 0 the formula reads 0·(-∞). The limit of `a**b` · ln a for a → 0 and b > 0 is 0, so that is the convention; it
has to be a branch, as `math.log(0)` raises and a tensor library would make 0·(-inf) = NaN.

At `x**x` the two contributions land on one node and add: `x**x` · (1 + ln x).

Cost: a power and a logarithm, with a few products, where the forward has one power; base, exponent and result are
kept. Where the exponent is a plain number, as in `x**3`, there is no logarithm to compute.

PyTorch: three operations. `PowBackward0` has a number for an exponent and keeps the base, `PowBackward1` has two
tensors and keeps both and the result, `PowBackward2` has a number for a base and keeps exponent and result. At base 0
the exponent's gradient is 0 for every exponent from 0 up; below, at `0**-1`, it is -inf. At a negative base it is NaN,
while the base's own is right for an integer exponent: 12 for `(-2)**3`.

Asked next:

- Base and exponent are both 0. What does yours do, and what PyTorch? → The base's rule computes `0 * 0.0**-1`, and
  Python raises `ZeroDivisionError`. PyTorch answers 0 for both: an exponent of 0 makes the base's gradient 0 by a
  branch of its own, as `a**0` is constant in a.
- Why not write exp(b · log(a)), and let autodiff find both rules? → At a = 0 and b = 2 the value is right, exp(-inf) =
  0, but the base's gradient is 0 times infinity, and the exponent's 0 times minus infinity: both NaN. And a negative
  base with an integer exponent has no logarithm.
- What does `x**0.5` give at 0? → A slope of `0.5 * 0**-0.5`: infinite in PyTorch, an exception in Python. An upstream
  gradient of 0 then makes NaN, which is how a norm written as a root of a sum of squares spoils a training at 0; add
  eps under the root, or branch.
- The base may be negative. Which parts of yours still hold? → The base's rule, for integer exponents. The exponent has
  no derivative there, as a real power exists only for some exponents nearby; yours adds 0 in silence, where PyTorch
  answers NaN.
"""

import math

from autodrill.drills import given, mistake, uniform

HINTS = (
    "Hold the exponent still: which kind of function of the base is left? Then hold the base still.",
    "a**b is e**(b·ln a). One operand gets the power rule, the other a factor ln a; and ln 0 does not exist.",
    "Two `+=`: in the first `other.data` stands in front and in the exponent, the second stands under an `if`.",
)
CASES = [
    given("self[] other[]", self=uniform(0.3, 3)),
    given("self[] other[]", self=0.0, other=2.0, smooth=False, note="base 0, exponent 2"),
    given("self[] other[]", self=0.0, other=1.0, smooth=False, note="base 0, exponent 1"),
    given("self[] other[]", self=0.0, other=1.5, smooth=False, note="base 0, exponent 1.5"),
    given("self[] other[]", self=1e-20, other=0.0, smooth=False, note="base 1e-20, exponent 0"),
]
EQUIVALENT = {
    "comparison: if self.data > 0: -> if self.data != 0:": "no base is negative",
    "operand: if self.data > 0: -> if out.data > 0:": "a power is 0 where its base is",
}


def forward(self, other):
    return self**other


def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "no-log",
    "a**b grows like e**b",
    "2**b doubles with every step of b, e**b does more: which factor tells them apart?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * out.grad


@mistake("same-rule", "the power rule serves the exponent too", "In 2**b, is the variable below or above?")
def pow_backward(self, other, out):
    slope = other.data * self.data ** (other.data - 1)
    self.grad += slope * out.grad
    other.grad += slope * out.grad


@mistake("exponent-dropped", "the exponent is a constant", "Which of the two operands is a node?")
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad


@mistake(
    "log-of-zero",
    "the logarithm of the base always exists",
    "What is 0**b for b a little above 2, and a little below? How steep is that?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(self.data) * out.grad


@mistake("same-power", "the power rule leaves the exponent as it is", "At a = 2, b = 2: the slope of a², is it 4 or 8?")
def pow_backward(self, other, out):
    self.grad += other.data * out.data * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad


@mistake(
    "log-of-exponent",
    "the logarithm is taken of the exponent",
    "Raise the exponent of 2**3, and of 9**3: which rises by the larger share, and does your factor know?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(other.data) * out.grad


@mistake(
    "log-bounded-below",
    "a bound on the base under the logarithm only keeps it finite",
    "The base is 1e-20: what is its logarithm, and what is yours? Which base alone needs another rule?",
)
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(max(self.data, 1e-12)) * out.grad
