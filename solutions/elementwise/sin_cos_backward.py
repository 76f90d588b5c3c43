"""x reaches the loss through two outputs, s = sin(x) and c = cos(x). Along each path, the cotangent of the output is
multiplied by the slope of the output, and the two products add up:

    dx = gs · ∂s/∂x + gc · ∂c/∂x = gs · cos(x) - gc · sin(x)

A function with several outputs has one cotangent per output, and its VJP is a sum over the outputs. An unused output
has the cotangent 0.

Cost: two products and one subtraction per element, and a sine and a cosine if only x was saved. Up to sign, the slope
of each output is the other output. An engine that saves s and c therefore needs no x and evaluates neither function
again. The price is a second saved array.

PyTorch: No single operation computes both sine and cosine. `SinBackward0` and `CosBackward0` each save x (the same
memory, not a copy) and evaluate the other function at x in backward. The engine adds the two gradients. If the loss
does not depend on c, the cosine's node does not run at all. For complex x the slopes are conjugated.

Asked next:

- For which cotangents must dx be 0 for every x? → dx must be 0 for (gs, gc) = (s, c). These two are the slopes of (s² +
  c²)/2 with respect to s and c, and this function is ½ for every x. The cotangents (c, −s) must give dx = 1. Both tests
  hold up to rounding and need no finite differences.
- You saved only s. Is that enough for the backward of the sine? → s is enough only up to a sign: |cos x| = √(1 − s²),
  so the sign needs one extra bit. Near |s| = 1 the subtraction also cancels most digits. Saving an output is enough if
  the slope is a function of that output, as for exp and tanh.
- A custom `torch.autograd.Function` has two outputs. What arrives as the cotangent of an output that is not used? → A
  tensor of zeros arrives. If forward called `ctx.set_materialize_grads(False)`, `None` arrives instead, and backward
  must check for it.
- What must a second backward save? → The derivative of dx with respect to x is −gs·sin(x) − gc·cos(x). The derivatives
  of dx with respect to gs and gc are cos(x) and −sin(x). So the second backward needs s and c again, together with the
  cotangents. Derivatives of any order need no function of x except sin(x) and cos(x).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Along how many paths does x reach the loss? How do the contributions of different paths combine?",
    (
        "Multiply each cotangent by the slope of its own output. One of the two outputs falls as x grows from 0, so "
        "the slope of that output is negative just right of 0."
    ),
    "Write one line: a difference of two products, with `gs` in the first.",
)
COTANGENTS = ("gs", "gc")
EMPTY = True
CASES = [
    given("x[n,m]", large={"n": 230, "m": 330}),
    given("x[3]", x=[0.0, np.pi / 2, -np.pi / 2], note="0 and ±π/2"),
    given("x[4]", x=[2.0, -2.0, 4.0, -5.0], note="all quadrants"),
    given("x[3]", x=[100.0, -1000.0, 1e6], smooth=False, note="large angles"),
    given("x[]", x=5e-5, note="one number, near 0"),
]
MISTAKES = [
    edit(
        "one-wave",
        "gs · cos(x) - gc · sin(x) is a wave with the phase arctan(gc / gs)",
        "Let gs be -1, and let gc and x be 0. What is dx, and what is the wave there?",
        "return ... -> phase = np.copysign(1, gs) * np.arctan2(gc, np.abs(gs)); "
        "return np.hypot(gs, gc) * np.cos(x + phase)",
    ),
    edit(
        "turn-rounded",
        "a full turn is 6.28318",
        "x is 1e6. How many turns does your code subtract, and how large is the error of each?",
        "return ... -> x = np.remainder(x, x.dtype.type(6.28318)); return gs * np.cos(x) - gc * np.sin(x)",
    ),
]


def forward(x):
    return engine.sin(x), engine.cos(x)


def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x) - gc * np.sin(x)


@mistake("sign", "the slope of cos is sin", "Just right of 0, does cos rise or fall?")
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x) + gc * np.sin(x)


@mistake(
    "one-output", "only the first output reaches the loss", "Two outputs feed the loss. How many terms does dx have?"
)
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x)


@mistake(
    "swapped",
    "each output is its own slope",
    "At x = 0, sin is 0 and rises. What is the slope of sin at 0? Which of sin and cos has this value at 0?",
)
def sin_cos_backward(gs, gc, x):
    return gs * np.sin(x) + gc * np.cos(x)


@mistake(
    "not-added",
    "each output gives x a separate gradient",
    "x is one array. How do the contributions of two paths combine?",
)
def sin_cos_backward(gs, gc, x):
    return gs * np.cos(x), -gc * np.sin(x)


@mistake(
    "root-for-cosine",
    "the cosine is the square root of 1 - sin²",
    "At x = 2, which sign does the cosine have? And which sign does a square root have?",
)
def sin_cos_backward(gs, gc, x):
    s = np.sin(x)
    return gs * np.sqrt(1 - s * s) - gc * s
