"""By the quotient rule, tanh = sinh/cosh has the derivative (cosh² - sinh²)/cosh² = 1 - tanh². This slope is a function
of the *output*. Backward therefore needs no second tanh, and the forward need not save its input. The slopes of exp,
sigmoid and sqrt are functions of their outputs too.

At input 0 the slope is 1. At inputs of ±20 the output rounds to ±1, and the computed slope is exactly 0, not negative.
Everywhere except at 0 the slope is below 1, and far from 0 it is tiny. In a stack of saturated tanh layers the
gradients therefore vanish.

Cost: two products, a subtraction and an addition; the forward has a tanh. Only the output is saved, and it exists
anyway.

PyTorch: `TanhBackward0` saves the result and not the input. So `x.tanh_()` on a non-leaf tensor is allowed. If the
*output* is changed in place, backward raises an error that calls this tensor `output 0 of Tanh`. PyTorch computes the
slope in the output's own precision. For |x| beyond about 9.01 in float32, or 4.5 in float16, this slope is exactly 0.

Asked next:

- With t = tanh(x), how accurate is 1 - t² for a large x? → t is rounded near 1, so few digits of 1 - t² are right. In
  float32, 1 - t² is 4.8e-7 instead of 4.5e-7 at x = 8, and nearly twice the right value at x = 9. The formula
  1/cosh²(x) would be accurate, but it needs the input.
- What is the second derivative in terms of the output t alone? → The chain rule on 1 - t² gives -2t(1 - t²). This
  derivative is 0 at x = 0, because the slope is largest at x = 0.
- How does the slope of sigmoid follow from that of tanh? → σ(x) = (1 + tanh(x/2))/2, so its slope is (1 - t²)/4 with t
  = tanh(x/2). Since t = 2σ - 1, this slope equals σ(1 - σ). The slope of sigmoid is at most 1/4, whereas the slope of
  tanh reaches 1.
"""

import math

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Which value has the forward pass already computed for you?",
    "The derivative of tanh is 1 minus the square of tanh itself.",
    "Write `self.grad += (...) * out.grad`. The bracket uses only `out.data`.",
)
CASES = [
    given("self[]"),
    given("self[]", self=0.0, note="at 0, slope 1"),
    given("self[]", self=12.0, note="nearly saturated, slope 1.5e-10"),
    given("self[]", self=-12.0, note="nearly saturated at -1"),
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
    "In 1 - t², is t the value before or after tanh?",
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
    "For large negative inputs the output is -1. What slope does your code give?",
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
    "1 - t² equals (1 - t)²",
    "For large negative inputs t is -1. Which of the two expressions is 0 at t = -1?",
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
    "The curve is steepest at 0 and flat far from 0. What slope does your code give far from 0?",
)
def tanh_backward(self, out):
    self.grad += (1 + out.data**2) * out.grad


@mistake(
    "minus-square",
    "the slope is -t²",
    "At 0 the curve climbs at 45 degrees. What slope does your code give at 0?",
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


@mistake(
    "saturated-is-zero",
    "beyond some |x|, tanh no longer rises",
    "At x = 10 the slope is 8e-9. What does your code add there if `out.grad` is 1e9?",
)
def tanh_backward(self, out):
    if abs(self.data) < 5:
        self.grad += (1 - out.data**2) * out.grad


@mistake(
    "earlier-part-scaled",
    "the slope also multiplies what other consumers have added to `self.grad`",
    "Let `self.grad` be 3 and `out.grad` be 0 before your call. What should `self.grad` be after it?",
)
def tanh_backward(self, out):
    self.grad = (self.grad + out.grad) * (1 - out.data**2)


@mistake(
    "near-1-counts-as-1",
    "an output near 1 may be taken for 1",
    "At out = 0.995 the slope is 0.01. What does your code add there?",
)
def tanh_backward(self, out):
    if abs(out.data) < 0.99:
        self.grad += (1 - out.data**2) * out.grad
