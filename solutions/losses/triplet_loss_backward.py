"""The maximum is a gate: it passes the gradient of h_i where h_i > 0, and it passes 0 elsewhere. The gradients of h are

    ∂h/∂a = 2(a - p) - 2(a - n) = 2(n - p)        ∂h/∂p = -2(a - p) = 2(p - a)        ∂h/∂n = 2(a - n)

The anchor is in both distances, and the vector a cancels in the first gradient. Multiply each gradient by the gate and
by g/N.

Moving all three points together changes no distance, so the three gradients of a triplet sum to 0. Descent moves the
positive towards the anchor, the negative away from it, and the anchor in the direction from the negative to the
positive.

The divisor is N, not the number of active triplets. The more triplets satisfy the margin, the smaller the whole
gradient gets.

Cost: about ten operations per element, compared with six in the forward. The forward may save one boolean per
triplet. The three embeddings are needed anyway, so recomputing h costs no memory.

PyTorch: `F.triplet_margin_loss` uses distances, not squared distances. With the default arguments, the distance of a
and p is the 2-norm |a - p + 1e-6|. The gradient of a distance is a unit vector, so its length does not depend on how
far apart the points are. The hinge is `clamp_min(0)`, whose backward passes the gradient at exactly 0. In this
exercise, the gradient there is 0.

Asked next:

- All embeddings of a batch collapse to one point. What are the loss and the gradients? → Each h is the margin, so the
  loss is the margin, and every triplet is active. All differences are 0, so all gradients are 0: the collapsed state is
  a stationary point. With unsquared distances the gradient of the norm at 0 is not defined.
- After some epochs the loss is almost 0, and training stalls. Why does training stall, and what helps? → Most random
  triplets satisfy the margin, so their gate is closed, but N still counts them. Choose triplets with h > 0 within the
  batch, or divide by the number of active triplets.
- Why does training often use semi-hard negatives, with |a - p| < |a - n| and h > 0, instead of the nearest negative?
  → The nearest negative may be almost at the anchor, and its gradient 2(a - n) is then almost 0. The negative is hardly
  pushed away, whereas the positive still pulls. The embedding may collapse to one point.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Which triplets contribute to the gradient? In which of the two distances does each of the three points occur?",
    "Where h > 0, the gradients of h are 2(n - p), 2(p - a) and 2(a - n). Elsewhere they are 0. Scale by g/N.",
    "Compute h per row and a column `gate`, which is 2g/N or 0. Then `dp = gate * (pos - ...)`.",
)

CASES = [
    given("anchor[N,d] pos[N,d] neg[N,d]", margin=1.0, note="margin=1"),
    given("anchor[N,d] pos[N,d] neg[N,d]", margin=0.25, pos=normal(2), large=False, note="margin=0.25"),
    given("anchor[N,3] pos[N,3] neg[N,3]", margin=0.5, neg=normal(1, 20), large=False, note="no active triplet"),
    given("anchor[N,3] pos[N,3] neg[N,3]", margin=0.5, pos=normal(1, 20), large=False, note="only active triplets"),
    # The distances are whole numbers, so h is exactly 0 if they are computed as squares of roots too.
    given(
        "anchor[3,2] pos[3,2] neg[3,2]",
        margin=16.0,
        anchor=[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
        pos=[[1.0, 1.0], [3.0, 1.0], [1.0, 1.0]],
        neg=[[1.0, 0.0], [3.0, 5.0], [1.0, 5.0]],
        smooth=False,
        note="h exactly 0",
    ),
    given(
        "anchor[2,1] pos[2,1] neg[2,1]",
        margin=1.0,
        anchor=[[0.0], [0.0]],
        pos=[[0.0], [0.0]],
        neg=[[1 - 2.0**-41], [1 + 2.0**-41]],
        smooth=False,
        note="h nearly 0",
    ),
    given(
        "anchor[2,2] pos[2,2] neg[2,2]",
        margin=2.0,
        anchor=[[0.0, 0.0], [1.0, 1.0]],
        pos=[[1.0, 0.5], [1.5, 0.0]],
        neg=[[1.5, 0.5], [0.0, 0.5]],
        note="a negative farther than the positive, within the margin",
    ),
    given("anchor[1,1] pos[1,1] neg[1,1]", margin=1.0, anchor=[[0.0]], pos=[[2.0]], neg=[[-1.0]], note="one number"),
]
WRT = ("anchor", "pos", "neg")
RESULTS = ("da", "dp", "dn")


def forward(anchor, pos, neg, margin):
    h = ((anchor - pos) ** 2).sum(axis=1) - ((anchor - neg) ** 2).sum(axis=1) + margin
    return engine.relu(h).mean()


def triplet_loss_backward(g, anchor, pos, neg, margin):
    to_pos, to_neg = pos - anchor, neg - anchor
    h = (to_pos**2 - to_neg**2).sum(axis=1) + margin
    gate = (h > 0)[:, None] * (2 * g / len(h))
    return gate * (to_neg - to_pos), gate * to_pos, -gate * to_neg


MISTAKES = [
    edit(
        "no-gate",
        "every triplet contributes",
        "Take a triplet with h = -3. Does the loss change if you move its points a little?",
        "(h > 0)[:, None] * (2 * g / len(h)) -> 2 * g / len(h)",
    ),
    edit(
        "anchor-one-term",
        "the anchor is only in the distance to the positive",
        "In which of the two distances does the anchor occur?",
        "to_neg - to_pos -> -to_pos",
    ),
    edit(
        "neg-sign",
        "descent should move the negative towards the anchor",
        "Descent subtracts the gradient. Does the distance from the anchor to the negative grow then?",
        "-gate -> gate",
    ),
    edit(
        "at-the-kink",
        "a triplet with h = 0 is active",
        "Which gradient does the task ask for at h = 0?",
        "h > 0 -> h >= 0",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the triplets",
        "If every triplet is in the batch twice, should the gradient of a triplet stay the same?",
        " / len(h)) -> )",
    ),
    edit(
        "divide-by-active",
        "the mean runs over the active triplets",
        "Add a triplet with h = -3 to the batch. Does the loss change?",
        "len(h) -> max((h > 0).sum(), 1).astype(g.dtype)",
    ),
    edit(
        "no-two",
        "the slope of u² is u",
        "What is the slope of u²?",
        "2 * g / -> g /",
    ),
    edit(
        "no-margin",
        "a triplet is active if the positive is farther away than the negative",
        "Take |a - p|² = 1, |a - n|² = 1.5 and a margin of 1. Is the loss 0?",
        "sum(axis=1) + margin -> sum(axis=1)",
    ),
    edit(
        "margin-sign",
        "the margin is subtracted",
        "Should a larger margin make more or fewer triplets active?",
        "+ margin -> - margin",
    ),
    edit(
        "gate-of-the-mean",
        "the forward takes the maximum of 0 and the mean of h",
        "How many hinges does the forward compute: one per triplet, or one per batch?",
        "(h > 0)[:, None] -> (h.mean() > 0)",
    ),
    edit(
        "weighted-by-h",
        "the gradient of a triplet is multiplied by its loss",
        "What is the slope of max(0, h) for h > 0?",
        "(h > 0)[:, None] -> np.maximum(h, 0)[:, None]",
    ),
    edit(
        "only-semi-hard",
        "a triplet whose negative is closer than its positive has no gradient",
        "Take |a - p|² = 5, |a - n|² = 1 and a margin of 1. Is the loss constant there?",
        "(h > 0)[:, None] -> ((h > 0) & (h < margin))[:, None]",
    ),
    edit(
        "only-hardest",
        "only the triplet with the largest h contributes",
        "The loss is a mean over triplets. How many triplets with h > 0 does the mean contain?",
        "(h > 0)[:, None] -> ((h > 0) & (h == h.max()))[:, None]",
    ),
    edit(
        "h-nearly-0",
        "a small positive h is a tie up to rounding",
        "Let h be 1e-9. Does the loss change if h moves a little?",
        "h > 0 -> h > 1e-8",
    ),
]


@mistake(
    "unsquared",
    "the distances are not squared",
    "The gradient of |u| is u/|u|. What is the gradient of |u|²?",
)
def triplet_loss_backward(g, anchor, pos, neg, margin):
    to_pos, to_neg = pos - anchor, neg - anchor
    h = (to_pos**2 - to_neg**2).sum(axis=1) + margin
    gate = (h > 0)[:, None] * (g / len(h))
    to_pos = to_pos / np.maximum(np.sqrt((to_pos**2).sum(axis=1, keepdims=True)), 1e-6)
    to_neg = to_neg / np.maximum(np.sqrt((to_neg**2).sum(axis=1, keepdims=True)), 1e-6)
    return gate * (to_neg - to_pos), gate * to_pos, -gate * to_neg
