"""tanh = sinh/cosh, so by the quotient rule its derivative is (cosh² - sinh²)/cosh² = 1 - tanh². The slope is a
function of the *output*. Backward needs no second tanh, and forward need not keep its input. exp, sigmoid and sqrt
share this property.

Check the ends. At 0 the slope is 1. At ±20 the output rounds to ±1 and the slope is exactly 0, not negative. Everywhere
but at 0 the slope is below 1, and far from 0 it is tiny: in a stack of saturated tanhs the gradients vanish.

Cost: two products, a subtraction and an addition; the forward has a tanh. Backward keeps the output, which exists
anyway.

PyTorch: `TanhBackward0` saves the result and not the input. So `x.tanh_()` on a non-leaf tensor is allowed. Changing
the *output* in place before backward raises an error that names it `output 0 of Tanh`. The slope is 1 minus the square
in the output's own precision: exactly 0 beyond about x = 9.01 in float32 and 4.5 in float16.

Asked next:

- How accurate is 1 - t² for a large x? → t is rounded near 1, so few digits of the difference are right. In float32 it
  is 4.8e-7 instead of 4.5e-7 at x = 8, and nearly twice the right value at 9. 1/cosh²(x) would be accurate, but it
  needs the input.
- What is the second derivative in terms of the output alone? → The chain rule on 1 - t² gives -2t(1 - t²). It is 0 at
  0, the maximum of the slope.
- How does the slope of sigmoid follow from yours? → σ(x) = (1 + tanh(x/2))/2, so its slope is (1 - t²)/4 with t =
  tanh(x/2). Since t = 2σ - 1, that is σ(1 - σ). It is at most 1/4; the slope of tanh reaches 1.
"""

import math

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Which value has the forward pass already computed for you?",
    "The derivative of tanh is 1 minus the square of tanh itself.",
    "`self.grad += (...) * out.grad`, and the bracket uses `out.data` only.",
)
CASES = [
    given("self[]"),
    given("self[]", self=0.0, note="at 0, slope 1"),
    given("self[]", self=1000.0, note="saturated at 1"),
    given("self[]", self=-1000.0, note="saturated at -1"),
]


def forward(self):
    return engine.tanh(self)


def tanh_backward(self, out):
    self.grad += (1 - out.data**2) * out.grad


@mistake(
    "input-not-output",
    "the slope is 1 minus the square of the input",
    "1 - t²: is t the value before or after tanh?",
)
def tanh_backward(self, out):
    self.grad += (1 - self.data**2) * out.grad


@mistake(
    "sigmoid-rule",
    "sigmoid's rule y(1 - y) holds for every squashing function",
    "What does your slope give at 0, and what is tanh'(0)?",
)
def tanh_backward(self, out):
    self.grad += out.data * (1 - out.data) * out.grad


@mistake(
    "no-square",
    "the slope is 1 - tanh",
    "At saturation on the negative side the output is -1. What slope do you get?",
)
def tanh_backward(self, out):
    self.grad += (1 - out.data) * out.grad


@mistake(
    "brackets",
    "`1 - t**2 * g` multiplies the whole slope by g",
    "Which of the two terms is multiplied by g? Try g = 0.",
)
def tanh_backward(self, out):
    self.grad += 1 - out.data**2 * out.grad


@mistake(
    "square-outside",
    "1 - t² is (1 - t)²",
    "At saturation on the negative side t is -1. Which of the two expressions is 0 there?",
)
def tanh_backward(self, out):
    self.grad += (1 - out.data) ** 2 * out.grad


@mistake(
    "tanh-twice",
    "`out.data` still has to go through tanh",
    "What does out.data already hold?",
)
def tanh_backward(self, out):
    self.grad += (1 - math.tanh(out.data) ** 2) * out.grad


@mistake(
    "plus",
    "the slope is 1 + t²",
    "The curve is steepest at 0 and flat at both ends. What does your slope give at the ends?",
)
def tanh_backward(self, out):
    self.grad += (1 + out.data**2) * out.grad


@mistake(
    "minus-square",
    "the slope is -t²",
    "At 0 the curve climbs at 45 degrees. What does your slope give there?",
)
def tanh_backward(self, out):
    self.grad += -(out.data**2) * out.grad


@mistake(
    "cosh-overflows",
    "1/cosh² can be computed for every input",
    "What does math.cosh(1000) do? Which number between -1 and 1 does the forward give you?",
)
def tanh_backward(self, out):
    self.grad += out.grad / math.cosh(self.data) ** 2
