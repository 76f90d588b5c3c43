"""RoPE is linear in x: each pair (a, b) is multiplied by a 2 x 2 matrix. The backward of y = R x is dx = Rᵀ g.

    R = [cos  -sin]        Rᵀ = [ cos  sin]
        [sin   cos]             [-sin  cos]

R is a rotation by the angle θ, and Rᵀ is the rotation by -θ. Transposing changes the sign of both sines. Let ga and gb
be the halves of g. Then

    da =  cos · ga + sin · gb
    db = -sin · ga + cos · gb

Three checks follow. A rotation keeps lengths, so each pair of dx is as long as the same pair of g. Rotating forward and
then backward gives back x, because Rᵀ R = I. At position 0 the angles are 0, and dx = g.

Cost: four products and two sums per pair, as in the forward. Backward needs cos and sin, which all layers and heads
share. Backward needs neither x nor out.

PyTorch: PyTorch has no operation for RoPE. In code such as `a * cos - b * sin`, each `MulBackward0` saves only cos or
sin, because these need no gradient. So autograd saves no activation, but it runs four products, two sums and a
concatenation as separate kernels. The Llama code of Hugging Face uses the split halves of this exercise. Meta's Llama
code pairs neighbours and multiplies complex numbers. The backward of such a product multiplies by the conjugate.

Asked next:

- YaRN multiplies cos and sin by a constant c. Is the backward still right? → Yes. The formula is the transpose of the
  forward, whatever cos and sin are. But the transpose is no longer the inverse: forward and backward together multiply
  by c².
- The model runs in bfloat16. Which part of RoPE must not run in bfloat16? → The angles must not be computed in
  bfloat16, because bfloat16 rounds position 257 to 256. It also rounds 5001 and 5000 to the same number. Compute
  positions, angles, cos and sin in float32, and round at the end.
- Both q and k are rotated. Why do the scores depend only on the distance between the two positions? → (R_m q) · (R_n k)
  = q · (R_mᵀ R_n k), and R_mᵀ R_n is the rotation by the difference of the two angles. Each angle is proportional to
  its position.
- The angles θ are learned. What is dθ? → With the halves (oa, ob) of out, dθ = gb · oa - ga · ob, summed over all axes
  that share the angle. Turning a pair moves it at a right angle to itself, along (-ob, oa).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "RoPE multiplies each pair by a 2 x 2 matrix. Which matrix multiplies the gradient?",
    "The transpose of a rotation is the rotation by the opposite angle. Keep the cosines and negate both sines.",
    "Split g into `a` and `b`. Then concatenate `a * cos + ...` and `b * cos - ...` along the last axis.",
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
    given("x[n,4] cos[n,2] sin[n,2]", **ROTATION, large={"n": 25000}),
    given("x[n,2] cos[n,1] sin[n,1]", **ROTATION, large=False, note="one pair"),
    given("x[h,n,6] cos[n,3] sin[n,3]", **ROTATION, large=False, note="heads"),
    given("x[b,h,n,4] cos[n,2] sin[n,2]", **ROTATION, large=False, note="batch and heads"),
    given(
        "x[2,4] cos[2,2] sin[2,2]",
        x=[[1.0, 2.0, 3.0, 4.0], [-1.0, 0.5, 2.0, 1.0]],
        cos=[[0.6, -0.8], [0.0, 1.0]],
        sin=[[0.8, 0.6], [1.0, 0.0]],
        note="position 0 not first",
    ),
]


def forward(x, cos, sin):
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return engine.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def rope_backward(g, cos, sin):
    a, b = np.split(g, 2, axis=-1)
    return np.concatenate([a * cos + b * sin, b * cos - a * sin], axis=-1)


MISTAKES = [
    edit(
        "positions-before-heads",
        "x of four axes has the layout (batch, n, heads, d)",
        "x has the shape (..., n, d). Which axis of g do the rows of cos belong to?",
        "a, b = ... -> a, b = np.split(g, 2, axis=-1)\n    if g.ndim == 4:\n"
        "        cos, sin = cos[: g.shape[1], None], sin[: g.shape[1], None]",
    ),
    edit(
        "first-half-overwritten",
        "the first half may be overwritten before the second half is computed",
        "The second half of dx needs the first half of g. Which value does your code read there: g's, or the new one?",
        "b * cos - a * sin -> b * cos - (a * cos + b * sin) * sin",
    ),
    edit(
        "second-half-overwritten",
        "the second half may be overwritten before the first half is computed",
        "The first half of dx needs the second half of g. Which value does your code read there: g's, or the new one?",
        "a * cos + b * sin -> a * cos + (b * cos - a * sin) * sin",
    ),
    edit(
        "same-rotation",
        "backward rotates by the angle of the forward",
        "Backward multiplies by the transpose. By which angle does the transpose of a rotation rotate?",
        "a * cos + b * sin -> a * cos - b * sin",
        "b * cos - a * sin -> b * cos + a * sin",
    ),
    edit(
        "interleaved-layout",
        "neighbouring features form a pair",
        "d is 6. Which feature shares an angle with feature 0 in this forward?",
        "a, b = ... -> a, b = g[..., 0::2], g[..., 1::2]",
        "return ... -> o = np.stack([a * cos + b * sin, b * cos - a * sin], axis=-1); return o.reshape(g.shape)",
    ),
    edit(
        "one-sign",
        "both sines have the same sign",
        "How many of the four entries of a rotation matrix change their sign in the transpose?",
        "b * cos - a * sin -> b * cos + a * sin",
    ),
    edit(
        "halves-exchanged",
        "the gradient of the second half comes first",
        "Set all angles to 0, so that out is x. What is dx then, and what does your code return?",
        "[a * cos + b * sin, b * cos - a * sin] -> [b * cos - a * sin, a * cos + b * sin]",
    ),
    edit(
        "sine-dropped",
        "a feature of the input reaches only the same feature of the output",
        "In how many places of the forward does `a` appear?",
        "[a * cos + b * sin, b * cos - a * sin] -> [a * cos, b * cos]",
    ),
    edit(
        "own-half",
        "da contains only ga, and db only gb",
        "Which half of out contains a · sin? Which half of g is therefore multiplied by sin in da?",
        "[a * cos + b * sin, b * cos - a * sin] -> [a * cos + a * sin, b * cos - b * sin]",
    ),
    edit(
        "identity",
        "a rotation keeps lengths, so the gradient passes unchanged",
        "A rotation keeps the length of g. Does it keep the direction of g?",
        "return ... -> return g.copy()",
    ),
]
