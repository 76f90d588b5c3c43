"""Once the mask is drawn, dropout is an elementwise multiplication by a constant, mask/(1-p). Backward multiplies the
gradient by the same constant. The randomness does not change this rule, because the loss was computed with one fixed
mask.

A dropped element gets the gradient 0 for any finite g. A kept element gets g/(1-p), because the forward scaled it by
1/(1-p). This scale makes the mean of `out` over all masks equal to x, so inference needs no scaling. At p = 0 dropout
is the identity.

Cost: one multiplication and one division per element, as in the forward. Backward does not need x. Backward needs the
mask (one byte per element in NumPy) or the state of the random generator that drew the mask.

PyTorch: On a CPU, `torch.nn.functional.dropout` draws a mask that has x's dtype and already contains the scale.
`MulBackward0` saves this mask, which takes four bytes per element in float32. On CUDA, for 0 < p < 1, a fused operation
(`NativeDropoutBackward0`) saves a mask of booleans. With `training=False` or p = 0, `dropout` returns x itself. PyTorch
also accepts p = 1 and then returns zeros, whereas the formula of this exercise divides by 0.

Asked next:

- Finite differences disagree with your backward. Why, and what do you do? → Each evaluation draws its own mask, so the
  difference quotient divides the noise from two different masks by a tiny step. Seed the generator inside the function,
  or pass the mask in; then `gradcheck` passes.
- Dropout is inside a checkpointed block. What must the second forward do? → The second forward must draw the same mask.
  With another mask, the gradient belongs to a loss that was never computed. `torch.utils.checkpoint` therefore saves
  and restores the generator's state, unless `preserve_rng_state=False`.
- Can backward infer the mask from out ≠ 0? → Not in general. A kept x of 0 also gives an output of 0, and the gradient
  g/(1-p) of this x would be missing. If x comes directly from a ReLU, this error is harmless: the slope of the ReLU at
  0 is 0, so the ReLU stops that gradient anyway.
- How does dropout change the noise of the gradient? → Dropout multiplies each element of the gradient by a factor with
  mean 1 and variance p/(1-p). This variance is 1 at p = 0.5 and 9 at p = 0.9.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    "Once the mask is drawn, what kind of function of x is the forward?",
    (
        "A multiplication by a constant has that constant as its slope. Here the constant includes both the mask and "
        "the scale."
    ),
    "Write one line with g, the mask and the probability of keeping an element.",
)


def kept(share):
    return lambda rng, shape, _: rng.random(shape) < share


WRT = ("x",)
EMPTY = True
CASES = [
    given("x[n,m] mask[n,m]", p=0.95, mask=kept(0.5), large={"n": 450, "m": 400}),
    given("x[n,m] mask[n,m]", p=0.125, mask=kept(0.8)),
    given("x[n,m] mask[n,m]", p=0.0, mask=kept(1), note="p = 0, all kept"),
    given("x[n,m] mask[n,m]", p=0.9, mask=kept(0), note="all dropped"),
]


def forward(x, mask, p):
    return x * mask / (1 - p)


def dropout_backward(g, mask, p):
    return g * mask / (1 - p)


@mistake("no-scale", "the scale belongs only to the forward", "By how much does `out` move when a kept x moves by 1?")
def dropout_backward(g, mask, p):
    return g * mask


@mistake(
    "resample",
    "backward draws a new mask",
    "Which elements did the forward keep? Which argument tells you?",
)
def dropout_backward(g, mask, p):
    return g * (np.random.random(g.shape) >= p) / (1 - p)


@mistake(
    "divide-by-p",
    "p is the probability of keeping an element",
    "At p = 0 dropout does nothing. What does your code do at p = 0?",
)
def dropout_backward(g, mask, p):
    return g * mask / p if p else g * mask * np.inf


@mistake(
    "no-mask", "dropped elements receive a gradient, as kept elements do", "Does the loss move when a dropped x moves?"
)
def dropout_backward(g, mask, p):
    return g / (1 - p)


@mistake(
    "scale-inverted",
    "backward undoes the forward's scale",
    "By how much does `out` move when a kept x moves by 1: by more than 1, or by less?",
)
def dropout_backward(g, mask, p):
    return g * mask * (1 - p)


@mistake("mask-inverted", "True in the mask means dropped", "Read the task again: what does True mean in the mask?")
def dropout_backward(g, mask, p):
    return g * ~mask / (1 - p)


@mistake(
    "dropped-pass-through",
    "a dropped element passes its gradient on unchanged",
    "Does `out` move when a dropped x moves?",
)
def dropout_backward(g, mask, p):
    return np.where(mask, g / (1 - p), g)


@mistake(
    "rate-of-the-mask",
    "the probability of keeping an element is the share of True values in this mask",
    "p is 0.5, and the mask keeps both elements of x. By what did the forward divide?",
)
def dropout_backward(g, mask, p):
    return (g * mask / max(mask.mean(), 1e-12)).astype(g.dtype) if mask.any() else 0 * g


@mistake(
    "scaled-twice",
    "the scale counts twice, once for the forward and once for backward",
    "A kept x moves by 1. By how much does `out` move, and how many times does that number contain the scale?",
)
def dropout_backward(g, mask, p):
    return g * mask / (1 - p) / (1 - p)
