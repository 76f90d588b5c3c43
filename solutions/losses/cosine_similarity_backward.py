"""Consider one pair of vectors. The product a·b depends on a, and so does the norm |a|. The gradient of |a| is a/|a|.
With the unit vectors u = a/|a| and v = b/|b|, the quotient rule gives

    ∂c/∂a  =  b/(|a| |b|) - (a·b)/(|a|² |b|) · a/|a|  =  (v - c u) / |a|

The roles of a and b are symmetric, so ∂c/∂b = (u - c v)/|b|. Multiply both gradients of a pair by the pair's own g.

v - c u is the part of v that is orthogonal to u. Scaling a does not change the cosine, so the gradient has no part
along a, and a·da = 0. For parallel vectors the cosine is ±1, and the gradient is 0. The factor 1/|a| makes the gradient
of a short vector large, because a small step turns a short vector far.

Cost: 16 operations per element, compared with 6 in the forward. The backward needs a and b, or u, v and the two norms.
The norms are one number per vector.

PyTorch: `F.cosine_similarity` is not one node. Autograd differentiates two norms, two quotients, a product and a sum.
PyTorch replaces a norm below eps = 1e-8 by eps, but its backward still differentiates the norm itself. For a zero
vector a, c is 0 and the gradient of a is v/eps, which has the norm 1e8. The default axis is 1, not the last one.

Asked next:

- The loss is 1 - c, and descent subtracts the gradient. What happens to |a|? → |a| grows. The step is orthogonal to a,
  so |a + step|² = |a|² + |step|². Longer vectors then get smaller gradients. The same holds for weights in front of a
  normalisation layer.
- A model normalises a and b first, and the loss is then only a·b. Where does the term -c u appear? → It appears in the
  backward of the normalisation. The loss passes back v. The backward of the normalisation removes the part of v along u
  and divides by the norm.
- The entries of a float32 vector are about 1e30. What fails, and what helps? → The squares overflow, so |a| is
  infinite, and c and da are 0. PyTorch 2.13 gives 0 too. Divide each vector by its largest magnitude first, because a
  scale does not change c. Then divide the gradient of the scaled vector by the same magnitude.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, mistake, normal

HINTS = (
    "Double the vector a. Does the cosine change? What does that say about the inner product of a and da?",
    (
        "Let u and v be the unit vectors of a and b. For da, remove from v its part along u, and divide by the norm of "
        "a. For db, exchange a and b."
    ),
    "Take the norms with `keepdims=True` and give g a last axis. Then `da = g * (v - ...) / |a|`.",
)
CASES = [
    given("a[n,d] b[n,d]"),
    given("a[2,k,n,d>=2] b[2,k,n,d]", large=False, note="three axes of vectors"),
    given("a[d>=2] b[d]", large=False, note="one pair"),
    given("a[n,4] b[n,4]", a=normal(1e4), b=normal(1e-3), large=False, note="long and short vectors"),
    given("a[n,4] b[n,4]", a=normal(1e-3), b=normal(1e-3), large=False, note="two short vectors"),
    given("a[2,2] b[2,2]", a=[[1.0, 2.0], [1.0, -1.0]], b=[[2.0, 4.0], [-3.0, 3.0]], note="parallel vectors"),
    given("a[2,2] b[2,2]", a=[[1.0, 0.0], [3.0, 4.0]], b=[[0.0, 2.0], [-4.0, 3.0]], note="orthogonal vectors"),
    given("a[n,1] b[n,1]", a=away_from_zero(0.5), b=away_from_zero(0.5), large=False, note="vectors of length 1"),
    given("a[2,2] b[2,2]", a=[[1.0, 2.0], [1.0, -1.0]], b=[[1.1, 2.0], [1.01, -1.0]], note="nearly parallel vectors"),
]


def forward(a, b):
    return (a * b).sum(axis=-1) / (engine.norm(a, axis=-1) * engine.norm(b, axis=-1))


def cosine_similarity_backward(g, a, b):
    na = np.sqrt((a * a).sum(axis=-1, keepdims=True))
    nb = np.sqrt((b * b).sum(axis=-1, keepdims=True))
    u, v = a / na, b / nb
    c = (u * v).sum(axis=-1, keepdims=True)
    g = np.expand_dims(g, -1)
    return g * (v - c * u) / na, g * (u - c * v) / nb


MISTAKES = [
    edit(
        "norm-constant",
        "the norms do not depend on a and b",
        "Double the vector a. The cosine stays the same. Is the inner product of a and your da 0?",
        "v - c * u -> v",
        "u - c * v -> u",
    ),
    edit(
        "plus",
        "the term from the slope of the norm is added",
        "Double the vector a. The cosine stays the same. Is the inner product of a and your da 0?",
        "v - c * u -> v + c * u",
        "u - c * v -> u + c * v",
    ),
    edit(
        "no-cosine",
        "the gradient is the difference of the unit vectors",
        "Let a and b be orthogonal, with the unit vectors u and v. How large is the part of v along u?",
        "v - c * u -> v - u",
        "u - c * v -> u - v",
    ),
    edit(
        "no-norm",
        "the gradient does not depend on the length of the vector",
        "Which vector does a step of 0.1 turn further: one of length 1, or one of length 1000?",
        ") / na -> )",
        ") / nb -> )",
    ),
    edit(
        "norm-of-the-other",
        "da is divided by |b|, and db by |a|",
        "Double a, but not b. The same step now turns a by about half the angle. By which factor does your da change?",
        "return ... -> return g * (v - c * u) / nb, g * (u - c * v) / na",
    ),
    edit(
        "both-norms",
        "da and db are both divided by |a||b|",
        "Double b, which leaves the cosine as it is. Does your da stay the same?",
        ") / na -> ) / (na * nb)",
        ") / nb -> ) / (na * nb)",
    ),
    edit(
        "norm-squared",
        "the gradient is divided by the norm twice",
        (
            "If a is twice as long, a step must be twice as long to turn a by the same angle. By which factor does the "
            "gradient change?"
        ),
        ") / na -> ) / na**2",
        ") / nb -> ) / nb**2",
    ),
    edit(
        "along-the-other",
        "the part along the other vector is removed",
        "da is the gradient of a. To which vector must it be orthogonal?",
        "v - c * u -> v - c * v",
        "u - c * v -> u - c * u",
    ),
    edit(
        "swapped",
        "the results come in the order b, a",
        "Which of your two results is orthogonal to a?",
        "return ... -> return g * (u - c * v) / nb, g * (v - c * u) / na",
    ),
    edit(
        "whole-norm",
        "the whole array has one norm",
        "How many vectors does `a` hold, and how many norms did the forward take?",
        "(a * a).sum(axis=-1, keepdims=True) -> (a * a).sum()",
        "(b * b).sum(axis=-1, keepdims=True) -> (b * b).sum()",
    ),
    edit(
        "both-norms-in-both-terms",
        "both terms of the gradient are divided by |a||b|",
        "Double b, which leaves the cosine as it is. Do both terms of your da stay the same?",
        "v - c * u -> v - c * u * na / nb",
        "u - c * v -> u - c * v * nb / na",
    ),
    edit(
        "vector-not-normalised",
        "the part along a is the cosine times a",
        "Let a be twice as long. Does the part of v along a change? Which vector must the cosine multiply?",
        "v - c * u -> v - c * a",
        "u - c * v -> u - c * b",
    ),
    edit(
        "product-for-cosine",
        "the inner product of a and b is the cosine",
        "By which two numbers did the forward divide the inner product? What is the part of v along u?",
        "(u * v).sum -> (a * b).sum",
    ),
    edit(
        "nearly-parallel-is-parallel",
        "a pair with a cosine near 1 has no gradient",
        "The cosine is 1 - t²/2 for a small angle t. What is its slope with respect to t at t = 0.03?",
        "c = (u * v).sum(axis=-1, keepdims=True) -> c = (u * v).sum(axis=-1, keepdims=True); live = np.abs(c) <= 0.999",
        "return ... -> return g * live * (v - c * u) / na, g * live * (u - c * v) / nb",
    ),
    edit(
        "g-axis-second",
        "the axis that g lacks is its second one",
        "Take a of shape (2, 3, 4). What is the shape of g, and at which position does g lack an axis?",
        "np.expand_dims(g, -1) -> g[:, None]",
    ),
    edit(
        "g-along-last-axis",
        "the last axis of g runs along the last axis of a",
        "Take a of shape (2, 3). What is the shape of g, and which axis of a does g lack?",
        "np.expand_dims(g, -1) -> g[None]",
    ),
    edit(
        "g-one-column",
        "g is one column of numbers",
        "Take a of shape (2, 3, 4). What is the shape of g, and which shape must g have to multiply a?",
        "np.expand_dims(g, -1) -> g.reshape(-1, 1)",
    ),
    edit(
        "vectors-along-axis-1",
        "the vectors run along axis 1, as in PyTorch by default",
        "Take a of shape (2, 3, 4). How many vectors does a hold, and along which axis do they run?",
        "(a * a).sum(axis=-1, keepdims=True) -> (a * a).sum(axis=1, keepdims=True)",
        "(b * b).sum(axis=-1, keepdims=True) -> (b * b).sum(axis=1, keepdims=True)",
        "(u * v).sum(axis=-1, keepdims=True) -> (u * v).sum(axis=1, keepdims=True)",
        "np.expand_dims(g, -1) -> np.expand_dims(g, 1)",
    ),
]


@mistake(
    "gradient-of-the-product",
    "only the inner product depends on a and b",
    "By which norms did the forward divide? Do these norms depend on a and b?",
)
def cosine_similarity_backward(g, a, b):
    g = np.expand_dims(g, -1)
    return g * b, g * a
