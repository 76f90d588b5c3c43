"""x reaches the loss by two ways, and along each the cotangent is multiplied by that output's slope:

    dx = gs · ∂s/∂x + gc · ∂c/∂x = gs · cos(x) - gc · sin(x)

A function with several outputs has one cotangent for each, and its VJP is the sum over them. An output nobody used has
cotangent 0.

Cost: two products and a subtraction an element, and a sine and a cosine if x is what was kept. The slopes are the two
outputs, exchanged, so an engine that keeps s and c needs no x and evaluates nothing again, at two arrays kept instead
of one.

PyTorch: there is no such double operation: `SinBackward0` and `CosBackward0` each keep x, the same memory and no copy,
evaluate the other function at it in backward, and the engine adds the two gradients. If the loss does not depend on c,
the cosine's node is not run at all. For complex x the slopes are conjugated.

Asked next:

- For which cotangents must dx be 0 whatever x is? → For (gs, gc) = (s, c): they are the gradient of (s² + c²)/2, which
  is always ½. And (c, −s) must give 1. Both are tests without a finite difference, up to rounding.
- You kept only s. Is that enough for the backward of the sine? → Up to a sign: |cos x| = √(1 − s²), so the sign needs a
  bit of its own, and near |s| = 1 the subtraction cancels most digits. An output is enough where the slope is a
  function of it, as for exp and tanh.
- In a custom `torch.autograd.Function` with two outputs, what arrives for the one nobody used? → A tensor of zeros,
  unless forward called `ctx.set_materialize_grads(False)`; then it is None, and backward must ask.
- What would a second backward have to keep? → The derivative of dx in x is −gs·sin(x) − gc·cos(x), and those in gs and
  gc are cos(x) and −sin(x): s and c again, together with the cotangents. No order of derivative needs another function.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = (
    "In how many ways does x reach the loss? What happens to contributions that come by different ways?",
    "Each cotangent times the slope of its own output; one of the two slopes falls where x is small and positive.",
    "One line: a difference of two products, `gs` in the first.",
)
COTANGENTS = ("gs", "gc")
CASES = [
    given("x[n,m]"),
    given("x[3]", x=[0.0, np.pi / 2, -np.pi / 2], note="0 and ±π/2"),
    given("x[4]", x=[2.0, -2.0, 4.0, -5.0], note="all quadrants"),
    given("x[]", x=5e-5, note="one number, near 0"),
]


def forward(x):
    return engine.sin(x), engine.cos(x)


def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x) - gc * np.sin(x)


@mistake("sign", "cos has the slope sin", "Just right of 0, does cos rise or fall?")
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x) + gc * np.sin(x)


@mistake("one-output", "only the first output counts", "Two outputs feed the loss: how many terms has dx?")
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x)


@mistake(
    "swapped", "an output is its own slope", "At x = 0, sin is 0 and climbs. How steeply, and which function says so?"
)
def sin_cos_backward(gs, gc, x):
    return gs * np.sin(x) + gc * np.cos(x)


@mistake(
    "not-added", "each output brings x a gradient of its own", "x is one array. What becomes of what two ways bring?"
)
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x), -gc * np.sin(x)


@mistake(
    "root-for-cosine",
    "the cosine is the root of 1 - sin²",
    "At x = 2, which sign has the cosine? And which has a root?",
)
def sin_cos_backward(gs, gc, x):
    s = np.sin(x)
    return gs * np.sqrt(1 - s * s) - gc * s
