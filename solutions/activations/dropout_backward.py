"""For the mask that was drawn, dropout is elementwise multiplication by a constant, mask/(1-p), and the gradient is
multiplied by the same constant. Randomness changes nothing: the loss was computed with this mask and no other.

A dropped element gets 0 for any finite g. A kept one gets g/(1-p), because the forward scaled it up, so that the mean
of `out` over all masks is x and nothing has to be done at inference. At p = 0 it is the identity.

Cost: a multiplication and a division an element, as in the forward. x is not needed. What must survive until backward
is the mask, a byte an element in NumPy, or the state of the random generator it came from.

PyTorch: on a CPU `torch.nn.functional.dropout` draws a mask already scaled, in x's dtype, and `MulBackward0` keeps it:
four bytes an element in float32. On CUDA, for 0 < p < 1, a fused operation keeps booleans (`NativeDropoutBackward0`).
With `training=False` or p = 0 it hands back x itself; p = 1, where this formula divides by 0, is allowed and gives 0.

Asked next:

- Finite differences disagree with your backward: why, and what do you do? → Each evaluation draws a mask of its own, so
  the difference is the noise of two masks over a tiny step. Seed the generator inside the function or pass the mask in;
  then `gradcheck` passes.
- Dropout stands inside a checkpointed block: what must the second forward do? → Draw the same mask, or the gradient is
  that of a loss nobody computed. So `torch.utils.checkpoint` saves and restores the generator's state, unless told
  `preserve_rng_state=False`.
- Can backward read the mask off the output, as out ≠ 0? → Not in general: a kept x that is 0 also gives 0, and would
  lose its gradient g/(1-p). Straight after a ReLU whose slope at 0 is taken as 0 it does no harm, as those gradients
  die there anyway.
- What does dropout do to the noise of the gradient? → It multiplies each element by a factor of mean 1 and variance
  p/(1-p): that is 1 at p = 0.5 and 9 at p = 0.9.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    "Once the mask is drawn, what kind of function of x is the forward?",
    "Multiplication by a constant: its slope is that constant, dropped elements and scale included.",
    "One line with g, the mask and the probability of staying.",
)


def kept(share):
    return lambda rng, shape, _: rng.random(shape) < share


WRT = ("x",)
CASES = [
    given("x[n,m] mask[n,m]", p=0.95, mask=kept(0.5), large={"n": 450, "m": 400}),
    given("x[n,m] mask[n,m]", p=0.125, mask=kept(0.8)),
    given("x[n,m] mask[n,m]", p=0.0, mask=kept(1), note="p=0, all stay"),
    given("x[n,m] mask[n,m]", p=0.9, mask=kept(0), note="all dropped"),
]


def forward(x, mask, p):
    return x * mask / (1 - p)


def dropout_backward(g, mask, p):
    return g * mask / (1 - p)


@mistake("no-scale", "the scale belongs to the forward only", "By how much does out move when a kept x moves by 1?")
def dropout_backward(g, mask, p):
    return g * mask


@mistake(
    "resample",
    "the backward pass draws a mask of its own",
    "Which elements did the loss see? What have you been given to know them by?",
)
def dropout_backward(g, mask, p):
    return g * (np.random.random(g.shape) >= p) / (1 - p)


@mistake("divide-by-p", "p is the probability of staying", "At p = 0 dropout does nothing. What does yours do?")
def dropout_backward(g, mask, p):
    return g * mask / p if p else g * mask * np.inf


@mistake("no-mask", "dropped elements learn like the others", "Does moving a dropped x move the loss?")
def dropout_backward(g, mask, p):
    return g / (1 - p)


@mistake("scale-inverted", "the gradient is scaled back", "The forward divided by 1-p. Which way does its slope go?")
def dropout_backward(g, mask, p):
    return g * mask * (1 - p)


@mistake("mask-inverted", "True means dropped", "Read the task again: what does True stand for?")
def dropout_backward(g, mask, p):
    return g * ~mask / (1 - p)


@mistake(
    "dropped-pass-through",
    "where nothing was kept nothing is to be done",
    "Move an x that was dropped. Does out move?",
)
def dropout_backward(g, mask, p):
    return np.where(mask, g / (1 - p), g)


@mistake(
    "rate-of-the-mask",
    "the mask itself shows the probability of staying",
    "p is 0.5 and all of two elements stayed. By what did the forward divide?",
)
def dropout_backward(g, mask, p):
    return (g * mask / max(mask.mean(), 1e-12)).astype(g.dtype) if mask.any() else 0 * g


@mistake(
    "scaled-twice",
    "forward and backward each owe the scale once",
    "x is kept and moves by 1: by how much does out? How often does the scale stand in that?",
)
def dropout_backward(g, mask, p):
    return g * mask / (1 - p) / (1 - p)
