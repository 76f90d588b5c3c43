"""The output follows x between 0 and 6, so the slope there is 1. Outside this range the output is constant, so the
slope is 0. At each kink the slope is 0 on one side and 1 on the other side. Both numbers are valid choices. The task
chooses 0 at both kinks, so both comparisons are strict.

Cost: two comparisons, one logical operation and one selection per element. The forward takes a maximum and a minimum.
One bit per element is enough for backward.

PyTorch: `F.relu6` records `HardtanhBackward0`, which saves x and the bounds 0 and 6. Its slope is 0 at both kinks, as
in `jax.nn.relu6`. Two other forms of this function differ at the kinks: `x.clamp(0, 6)` has slope 1 at 0 and at 6, and
`torch.minimum(torch.relu(x), six)` has slope 1/2 at 6.

Asked next:

- Only `out` was saved. What changes? → Nothing: 0 < out < 6 holds exactly if 0 < x < 6, because out equals x there.
- What is the slope of hard-swish, x · relu6(x + 3)/6, between -3 and 3? → The product x(x + 3)/6 has the slope (2x +
  3)/6. This slope is -1/2 just right of -3 and 3/2 just left of 3, so hard-swish has kinks too.
- Why is the output limited to 6? → A fixed range suits low precision. Eight bits divide 0 to 6 into steps of 0.024, and
  no large activation makes the steps wider.
- What is the disadvantage for training? → A unit with x > 6 receives no gradient, like a unit with x < 0. A large
  update can push a unit's input above 6, just as it can push the input of a ReLU below 0.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, elementwise

HINTS = (
    "For which values of x does `out` change if x changes?",
    "Pass g on strictly between the two kinks. Elsewhere the output is constant.",
    "Combine two strict comparisons of x with `&`, in parentheses, and select between g and 0.",
)
CASES = elementwise(at=[3.0, 0.001, -0.001, 5.999, 6.001, -1.0, 7.0], kinks=[0.0, 6.0])
MISTAKES = [
    edit(
        "half-at-the-kinks",
        "the slope at a kink is the mean of the slopes on both sides",
        "Which slope does the task ask for at x = 0 and at x = 6?",
        "return ... -> return g * (np.sign(x) - np.sign(x - 6)) / 2",
    ),
    edit(
        "closed",
        "the slope is 1 at both kinks",
        "Which slope does the task ask for at x = 0 and at x = 6?",
        "x > 0 -> x >= 0",
        "x < 6 -> x <= 6",
    ),
    edit(
        "closed-below",
        "the slope at 0 is 1",
        "Which slope does the task ask for at x = 0?",
        "x > 0 -> x >= 0",
    ),
    edit(
        "closed-above",
        "the slope at 6 is 1",
        "Which slope does the task ask for at x = 6?",
        "x < 6 -> x <= 6",
    ),
    edit("no-upper", "the output grows above 6", "What is out at x = 7 and at x = 8?", "(x > 0) & (x < 6) -> x > 0"),
    edit("no-lower", "the output falls below 0", "What is out at x = -1 and at x = -2?", "(x > 0) & (x < 6) -> x < 6"),
    edit(
        "or-for-and",
        "one of the two conditions is enough",
        "Which of your two comparisons holds at x = 7? Does `out` change there?",
        "& -> |",
    ),
    edit(
        "clips-gradient",
        "backward limits g as the forward limits x",
        "By how much does `out` move at x = 3 when x moves? Does this depend on the size of g?",
        "np.where((x > 0) & (x < 6), g, 0) -> np.clip(g, 0, 6)",
    ),
    edit(
        "times-output",
        "the slope between the kinks is the output's value",
        "Between 0 and 6 the output is x. What is the slope of this line?",
        ", g, 0) -> , g * x, 0)",
    ),
    edit(
        "near-the-kinks",
        "a value near a kink is the kink",
        "Is 1e-9 equal to 0? Which slope does the task's formula have there?",
        "(x < 6) -> (x < 6) & ~np.isclose(x, 0) & ~np.isclose(x, 6)",
    ),
]
forward = engine.relu6


def relu6_backward(g, x):
    return np.where((x > 0) & (x < 6), g, 0)
