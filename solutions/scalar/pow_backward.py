"""Two different rules, because base and exponent are two different variables. With the exponent b held still, a**b is a
power: its slope is b·a**(b-1). With the base held still it is an exponential: write a**b = e**(b·ln a), so its slope
is ln a times itself. That second factor needs no new power, since a**b is `out.data`.

At base 0 the formula reads 0·(-∞). The limit of a**b·ln a for a → 0 and b > 0 is 0, so that is the convention, in
PyTorch too; it has to be a branch, as `math.log(0)` raises and a tensor library would make 0·(-inf) = NaN.

At x ** x the two contributions land on one node and add: x**x·(1 + ln x). The backward costs one power and one
logarithm. Where the exponent is a plain number, as in x ** 3, no logarithm is computed: in PyTorch these are two
operations, `PowBackward0` and `PowBackward1`.
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
