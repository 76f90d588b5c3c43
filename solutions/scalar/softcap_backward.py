"""Let t = tanh(x/c), so out = c·t. The chain rule multiplies three slopes. Multiplying by c has the slope c, tanh has
the slope 1 - t², and dividing by c has the slope 1/c. The factors c and 1/c cancel:

    dout/dx = c · (1 - t²) · 1/c = 1 - t²        with t = out/c

As in the backward of tanh, the output is enough, and no second tanh is needed. Near 0 the slope is 1 for every c, so
small logits pass almost unchanged. At x = c the slope is 0.42. Far beyond the cap the slope is almost 0.

Cost: a quotient, two products, a subtraction and an addition. The forward has a quotient, a tanh and a product. Only
the output is saved, and it exists anyway.

PyTorch: There is no operation for the soft cap. `c * torch.tanh(x / c)` records three nodes. `TanhBackward0` saves the
output of tanh, and the product and the quotient save only the number c. Gemma 2 caps its attention scores at 50 and its
final logits at 30.

Asked next:

- Why is a soft cap awkward in a fused attention kernel? → Without a cap, backward recovers the probabilities from the
  saved logsumexp with one matrix product and one exponential. With a cap, backward must also compute the tanh of each
  score again. The gradient of the score gets the factor 1 - t².
- How does a hard clip differ from a soft cap in training? → A clip has the slope 1 within the cap and 0 beyond it. A
  clipped logit gets no gradient at all, so nothing pulls it back. Beyond the cap, a soft cap still has a small positive
  slope, until 1 - t² rounds to 0.
- Beyond which value of x/c is the computed slope exactly 0? → The slope is 0 beyond about 9 in float32 and beyond about
  19 in float64, because the exact tanh rounds to 1 there. A less accurate tanh may reach 1 later: NumPy's tanh for
  float32 arrays does so near 10.
- c is a parameter. What is its gradient? → dout/dc = t - (x/c)(1 - t²). This slope is 0 at x = 0 and tends to ±1 far
  beyond the cap.
"""

import math

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "There are three steps: divide by c, take tanh, multiply by c. What is the slope of each step?",
    (
        "The factors c and 1/c cancel. The slope of tanh in terms of its output t is 1 - t², and t is the output "
        "divided by c."
    ),
    "Write `self.grad += (1 - (...) ** 2) * out.grad`. The bracket needs the output and c.",
)
CASES = [
    given("self[]", c=1.5),
    given("self[]", c=0.5),
    given("self[]", c=30.0),
    given("self[]", self=0.0, c=5.0, note="at 0, slope 1"),
    given("self[]", self=3.0, c=3.0, note="at the cap"),
    given("self[]", self=40.0, c=30.0, note="beyond the cap"),
    given("self[]", self=60.0, c=5.0, note="far beyond the cap, slope 1.5e-10"),
    given("self[]", self=-60.0, c=5.0, note="far beyond the cap, below 0"),
    given("self[]", self=1000.0, c=0.5, note="saturated at c"),
    given("self[]", self=-1000.0, c=5.0, note="saturated at -c"),
]


def forward(self, c):
    return engine.tanh(self / c) * c


def softcap_backward(self, out, c):
    self.grad += (1 - (out.data / c) ** 2) * out.grad


MISTAKES = [
    edit(
        "saturated-is-zero",
        "near the cap the slope may be taken as 0",
        "At 99.5 % of the cap, what is 1 - (out / c)²? Does the task's forward ever stop rising?",
        "self.grad += ... -> self.grad += (abs(out.data) < 0.99 * c) * (1 - (out.data / c) ** 2) * out.grad",
    ),
    edit(
        "far-beyond-is-zero",
        "far beyond the cap the slope may be taken as 0",
        "At x = 10·c the slope is 8e-9. What does your code add there if `out.grad` is 1e9?",
        "self.grad += ... -> self.grad += (abs(self.data) < 5 * c) * (1 - (out.data / c) ** 2) * out.grad",
    ),
    edit(
        "cap-ignored",
        "the slope in terms of the output is 1 - out²",
        "out is c·tanh(x/c). What is the tanh in terms of out?",
        "(out.data / c) -> out.data",
    ),
    edit(
        "cap-not-squared",
        "the square of out / c is out² / c",
        "For out = c, what is (out / c)²? What is out² / c?",
        "(out.data / c) ** 2 -> out.data**2 / c",
    ),
    edit(
        "earlier-part-scaled",
        "the slope also multiplies what other consumers have added to `self.grad`",
        "Let `self.grad` be 3 and `out.grad` be 0 before your call. What should `self.grad` be after it?",
        "self.grad += ... -> self.grad = (self.grad + out.grad) * (1 - (out.data / c) ** 2)",
    ),
    edit(
        "one-over-c",
        "the inner factor 1/c stays in the slope",
        "Dividing by c contributes the factor 1/c. Which factor does multiplying by c contribute?",
        "* out.grad -> * out.grad / c",
    ),
    edit(
        "outer-c",
        "the outer factor c stays in the slope",
        "Multiplying by c contributes the factor c. Which factor does dividing by c contribute?",
        "* out.grad -> * out.grad * c",
    ),
    edit(
        "hard-clip",
        "a soft cap has the slope of a hard clip",
        "What is the slope of c·tanh(x/c) at x = c: 1, 0 or a number in between?",
        "self.grad += ... -> self.grad += (-c < self.data < c) * out.grad",
    ),
    edit(
        "assign",
        "a node has exactly one consumer, so its gradient is written only once",
        "What does your code do if self.grad is not 0 at the start?",
        "+= -> =",
    ),
    edit(
        "input-not-output",
        "the slope is 1 - (self.data / c)²",
        "In 1 - t², is t the value before or after tanh?",
        "out.data / c -> self.data / c",
    ),
    edit(
        "tanh-again",
        "out is the input of tanh",
        "Is out.data the value before or after tanh? How do you get tanh(x/c) from out.data and c?",
        "(out.data / c) -> math.tanh(out.data / c)",
    ),
    edit(
        "no-square",
        "the slope is 1 - tanh",
        "For large negative inputs, out is -c. What slope does your code give there?",
        "** 2 ->",
    ),
    edit(
        "no-upstream",
        "the local derivative is the whole answer",
        "You have dout/dself, but the node must receive dL/dself. Which factor is missing?",
        "* out.grad ->",
    ),
]


@mistake(
    "cosh-overflows",
    "1/cosh² can be computed for every input",
    "What does math.cosh(2000) do? Which number does the forward give you instead?",
)
def softcap_backward(self, out, c):
    self.grad += out.grad / math.cosh(self.data / c) ** 2
