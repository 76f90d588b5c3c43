"""The slope of ReLU is 1 for x > 0 and 0 for x < 0. The output tells these cases apart: out > 0 holds exactly if x > 0.
At x = 0 the output is 0, and the strict comparison gives the slope 0 that the task asks for. The comparison out >= 0
would hold for all elements.

Select between g and 0 instead of multiplying g by a mask. For finite g both forms give the same numbers. For an
infinite g, the product 0 · ∞ is NaN, and a NaN in one element spreads to each gradient of the layers below.

Cost: one comparison and one selection per element. The values of `out` are not needed, only one bit per element. ReLU
often saves nothing extra, because a matrix product that follows saves `out` as its own input anyway.

PyTorch: `ReluBackward0` saves the result and selects. With an infinite or NaN gradient, `torch.relu` gives 0 at x ≤ 0.

Asked next:

- Why may `relu_` overwrite the output of a linear layer, but not the output of a sigmoid? → The backward of the linear
  layer needs its input and its weight, not its output. The backward of the sigmoid needs its output. PyTorch counts the
  changes of saved tensors and raises an error in backward.
- How little can a ReLU save? → One bit per element, as from `np.packbits(out > 0)`. This is 1/32 of a float32 array.
  The bits save memory only if no other operation saves `out`.
- What is the JVP of ReLU? → `np.where(out > 0, v, 0)` with the tangent v. The Jacobian is diagonal, so both modes apply
  the same function.
- The inputs are symmetric about 0 and independent of g. How does ReLU change the mean square of the gradient? → Half of
  the elements become 0, so the mean square halves. The factor 2 in He initialisation, var(W) = 2/n, makes up for this.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise, given

HINTS = (
    "For which values of x does `out` change if x changes? How can you tell from out alone?",
    "Pass g on if the output is positive. Otherwise write 0, whatever g is: select, do not multiply.",
    "Use one `np.where` with a strict comparison of `out` as its condition.",
)
CASES = [
    *elementwise(at=[1.0, -1.0, 0.001, -0.001], kinks=[0.0, -0.0]),
    given("x[3]", x=[-1.0, 2.0, -3.0], g=np.inf, smooth=False, large=False, note="infinite cotangents"),
]
EQUIVALENT = {"comparison: out > 0 -> out != 0": "the output of ReLU is never negative"}
MISTAKES = [
    edit(
        "ge",
        "an output of 0 counts as an open gate",
        "Which elements of out are below 0? What does your comparison select?",
        "> 0 -> >= 0",
    ),
    edit(
        "mask-multiply",
        "multiplying by a 0/1 mask is the same as selecting",
        "What is 0 times infinity in floating point?",
        "np.where(out > 0, g, 0) -> g * (out > 0)",
    ),
    edit(
        "times-output",
        "the slope is the output's value",
        "For positive x, ReLU has the same slope everywhere. What is this slope?",
        "np.where(out > 0, g, 0) -> np.where(out > 0, g * out, 0)",
    ),
    edit(
        "guided",
        "a negative upstream gradient is replaced by 0, as in guided backpropagation",
        "Which value opened or closed the gate in the forward, x or g?",
        "np.where(out > 0, g, 0) -> np.where((out > 0) & (g > 0), g, 0)",
    ),
    edit(
        "gate-on-gradient",
        "the sign of the gradient opens and closes the gate",
        "Which value opened or closed the gate in the forward, x or g?",
        "(out > 0, -> (g > 0,",
    ),
    edit(
        "gate-inverted",
        "the gate opens below 0",
        "Draw max(0, x). On which side is it flat?",
        "> 0 -> <= 0",
    ),
    edit(
        "in-place",
        "no other operation reads g after this backward",
        "Another operation may have received the same array g. What does that operation read after your assignment?",
        "return ... -> g[out <= 0] = 0; return g",
    ),
    edit(
        "absolute-value",
        "a closed gate passes the negative of g",
        "Draw max(0, x). What is its slope left of 0?",
        ", g, 0) -> , g, -g)",
    ),
    edit(
        "near-the-kink",
        "an output near 0 is 0",
        "Is the gate at an output of 1e-9 open or closed?",
        "out > 0 -> (out > 0) & ~np.isclose(out, 0)",
    ),
]
forward = engine.relu


def relu_array_backward(g, out):
    return np.where(out > 0, g, 0)
