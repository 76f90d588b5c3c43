"""tanh = sinh/cosh, so by the quotient rule its derivative is (cosh² - sinh²)/cosh² = 1 - tanh². The slope is a
function of the *output*: the backward needs no second tanh and the forward need not keep its input. exp, sigmoid and
sqrt have the same gift.

Check the ends: at 0 the slope is 1; at ±20 the output rounds to ±1 and the slope is exactly 0, not negative.
Everywhere but at 0 that factor is below 1, and far from 0 it is tiny: a stack of saturated tanhs makes gradients
vanish.

Cost: two products, a subtraction and an addition, where the forward has a tanh. Kept is the output, which exists
anyway.

PyTorch: `TanhBackward0` saves the result and not the input, so `x.tanh_()` on an inner tensor is allowed, while
changing the *output* in place before backward raises an error that names it `output 0 of Tanh`. The slope is 1 minus
the square in the output's own precision: exactly 0 in float32 from about x = 9.02, in float16 from about 4.5.

Asked next:

- How accurate is 1 - t² for a large x? → t is rounded near 1, so few digits of the difference are right: in float32 at
  x = 8 it is 4.8e-7 and should be 4.5e-7, at 9 it is nearly twice what it should be. 1/cosh²(x) would be accurate, but
  needs the input.
- What is the second derivative, from the output alone? → The chain rule on 1 - t²: -2t(1 - t²). It is 0 at 0, where
  the slope has its maximum.
- Sigmoid is a tanh in disguise. How does its slope follow from yours? → σ(x) = (1 + tanh(x/2))/2, so its slope is
  (1 - t²)/4 with t at x/2. As t = 2σ - 1, that is σ(1 - σ), at most 1/4 where tanh has 1.
"""

import math

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "Which value has the forward pass already computed for you?",
    "The derivative of tanh is 1 minus the square of tanh itself.",
    "`self.grad += (...) * out.grad`, where the bracket uses `out.data` only.",
)
CASES = [
    given("self[]"),
    given("self[]", self=0.0, note="at 0, slope 1"),
    given("self[]", self=1000.0, note="saturated"),
    given("self[]", self=-1000.0, note="saturated below"),
]


def forward(self):
    return engine.tanh(self)


def tanh_backward(self, out):
    self.grad += (1 - out.data**2) * out.grad


@mistake("input-not-output", "the square is of the input", "1 - t²: is t the value before or after tanh?")
def tanh_backward(self, out):
    self.grad += (1 - self.data**2) * out.grad


@mistake(
    "sigmoid-rule",
    "sigmoid's rule y(1 - y) serves every squashing function",
    "What does your slope say at 0, and what is tanh'(0)?",
)
def tanh_backward(self, out):
    self.grad += out.data * (1 - out.data) * out.grad


@mistake(
    "no-square", "the slope is 1 - tanh", "At saturation on the negative side the output is -1. What slope do you get?"
)
def tanh_backward(self, out):
    self.grad += (1 - out.data) * out.grad


@mistake(
    "brackets",
    "`1 - t**2 * g` multiplies the whole slope by g",
    "Which of the two terms does the multiplication bind to? Try g = 0.",
)
def tanh_backward(self, out):
    self.grad += 1 - out.data**2 * out.grad


@mistake(
    "square-outside",
    "1 - t² is (1 - t)²",
    "At saturation on the negative side t is -1. Which of the two is 0 there?",
)
def tanh_backward(self, out):
    self.grad += (1 - out.data) ** 2 * out.grad


@mistake(
    "tanh-twice",
    "`out.data` still has to go through tanh",
    "What does out.data hold already?",
)
def tanh_backward(self, out):
    self.grad += (1 - math.tanh(out.data) ** 2) * out.grad


@mistake(
    "plus", "the slope is 1 + t²", "The curve is steepest at 0 and flat at both ends. What does your slope say there?"
)
def tanh_backward(self, out):
    self.grad += (1 + out.data**2) * out.grad


@mistake("minus-square", "the slope is -t²", "At 0 the curve climbs at 45 degrees. What does your slope say there?")
def tanh_backward(self, out):
    self.grad += -(out.data**2) * out.grad


@mistake(
    "cosh-overflows",
    "1/cosh² may be computed for every input",
    "What does math.cosh(1000) do? And which number between -1 and 1 have you been given?",
)
def tanh_backward(self, out):
    self.grad += out.grad / math.cosh(self.data) ** 2
