"""The forward multiplies each pair by a rotation and the rest by 1. Backward multiplies by the transpose.

The transpose of a rotation is the rotation by the opposite angle. Let (ga, gb) be a pair of g. Then

    da = cos · ga + sin · gb
    db = cos · gb - sin · ga

The features from r on appear in out unchanged, so their gradient is the same part of g. r is twice the number of
columns of cos.

The pairs are the even and the odd columns among the first r. Copy g first, and compute both lines from g and not from
the copy. If the first line overwrites ga, the second line reads a value that is already rotated.

Check: rotating forward and then backward gives back x.

Cost: four products and two sums per pair, and a copy of the rest. Nothing but cos and sin is needed, as in full RoPE.

PyTorch: There is no operation for RoPE. Slices with step 2 are views, so reading the pairs copies nothing. An in-place
assignment to a slice, as in `out[..., 0:r:2] = ...`, records a `CopySlices` node. GPT-NeoX rotates a part of each head
with split halves. GPT-J rotates a part with neighbouring pairs.

Asked next:

- Weights were trained with split halves, and your code pairs neighbours. How do you convert the weights? → Permute the
  output columns of Wq and Wk within each head. Feature i goes to 2i, and feature i + r/2 goes to 2i + 1. The scores
  stay the same, because q and k are permuted in the same way. Wv does not change.
- Why would a model rotate only a part of each head? → The features that are not rotated give scores that do not depend
  on the distance. These features can compare contents at any distance, and the rotated features can attend by position.
- The frequencies are learned. What is the gradient of an angle θ? → With the outputs (oa, ob) of the pair, dθ = gb · oa
  - ga · ob, summed over the heads and over any other axis that shares the angle.
- Can code for this layout use complex numbers? → Yes. A neighbouring pair has the memory layout of a complex number, so
  `view_as_complex` needs no copy if d is even. The forward multiplies by exp(iθ), and backward by exp(-iθ). With an odd
  d the call raises an error, because some rows then start at an odd position in memory.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Which features of out does a rotated feature of x reach? Which features of out does any other feature of x reach?",
    "Rotate the pairs of g by the opposite angle. The features from r on receive their g unchanged.",
    "Start from a copy `dx` of g. Take `a` and `b` as slices of g with step 2, and write to the same slices of dx.",
)
WRT = ("x",)


def angles(rng, shape):
    n, pairs = shape
    return np.arange(n)[:, None] * 10.0 ** (-np.arange(pairs) / pairs)


def cosines(rng, shape, _):
    return np.cos(angles(rng, shape))


def sines(rng, shape, _):
    return np.sin(angles(rng, shape))


ROTATION = {"cos": cosines, "sin": sines}
CASES = [
    given("x[H,n,6] cos[n,2] sin[n,2]", **ROTATION, large={"H": 12, "n": 1200}),
    given("x[H,n,6] cos[n,3] sin[n,3]", **ROTATION, large=False, note="r = d"),
    given("x[H,n,5] cos[n,1] sin[n,1]", **ROTATION, large=False, note="one pair, odd d"),
    given("x[H,n,9] cos[n,4] sin[n,4]", **ROTATION, large=False, note="four pairs, odd d"),
]


def forward(x, cos, sin):
    r = 2 * cos.shape[1]
    a, b = x[..., 0:r:2], x[..., 1:r:2]
    pairs = engine.stack([a * cos - b * sin, a * sin + b * cos], axis=-1)
    rotated = engine.reshape(pairs, (*x.shape[:-1], r))
    return engine.concatenate([rotated, x[..., r:]], axis=-1)


def rope_partial_interleaved_backward(g, cos, sin):
    r = 2 * cos.shape[1]
    front, dx = g[..., :r], np.copy(g)
    a, b = front[..., ::2], front[..., 1::2]
    turned = dx[..., :r]  # a view of dx
    turned[..., ::2] = a * cos + b * sin
    turned[..., 1::2] = b * cos - a * sin
    return dx


MISTAKES = [
    edit(
        "tail-zeroed",
        "only the rotated features have a gradient",
        "x[..., r:] is a part of out. How far does this part move if x[..., r:] moves by 1?",
        "np.copy(g) -> np.zeros_like(g)",
    ),
    edit(
        "split-half",
        "feature i is paired with feature i + r/2",
        "Which two features share one angle in this forward?",
        "a, b = ... -> a, b = np.split(front, 2, axis=-1)",
        "turned[..., ::2] -> turned[..., : r // 2]",
        "turned[..., 1::2] -> turned[..., r // 2 :]",
    ),
    edit(
        "same-rotation",
        "backward rotates by the angle of the forward",
        "Backward multiplies by the transpose. By which angle does the transpose of a rotation rotate?",
        "a * cos + b * sin -> a * cos - b * sin",
        "b * cos - a * sin -> b * cos + a * sin",
    ),
    edit(
        "overwritten",
        "the first feature of a pair may be replaced before the second is computed",
        "Which value of the first feature does your second line read?",
        "front, dx = ... -> dx = np.copy(g); front = dx[..., :r]",
    ),
    edit(
        "one-sign",
        "both sines have the same sign",
        "How many of the four entries of a rotation matrix change their sign in the transpose?",
        "b * cos - a * sin -> b * cos + a * sin",
    ),
    edit(
        "pair-exchanged",
        "the second feature of a pair comes first",
        "At position 0 all angles are 0. What is dx there, and what does your code return?",
        "turned[..., ::2] = a -> turned[..., 1::2] = a",
        "turned[..., 1::2] = b -> turned[..., ::2] = b",
    ),
    edit(
        "last-features",
        "the rotated features are the last ones of a head",
        "Which features of x appear in out unchanged, the first or the last?",
        "g[..., :r] -> g[..., -r:]",
        "dx[..., :r] -> dx[..., -r:]",
    ),
]
