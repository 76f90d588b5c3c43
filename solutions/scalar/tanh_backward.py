"""tanh = sinh/cosh, so by the quotient rule its derivative is (cosh² - sinh²)/cosh² = 1 - tanh². The slope is a
function of the *output*: the backward needs no second tanh and the forward need not keep its input. exp, sigmoid and
sqrt have the same gift.

Check the ends: at 0 the slope is 1; at ±20 the output rounds to ±1 and the slope is exactly 0, never negative.
Between layers that factor, at most 1 and usually far less, is why stacks of tanh make gradients vanish.
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
    given("self[]", self=20.0, note="saturated"),
    given("self[]", self=-20.0, note="saturated below"),
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
