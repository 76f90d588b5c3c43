"""Work on one row. Let n = |v| and u = v/n, so W = s·u. The row is a product of a number and a unit vector.

The number s multiplies every entry of u. The gradient of s is therefore one sum: ds = Σ g u.

The gradient of u is s·g. The backward of L2 normalisation removes the part of a gradient along u and divides by n:

    dv = (s g - u · Σ s g u)/n = s/n · (g - u ds)

The projection reuses ds. dv is orthogonal to v, because stretching v does not move W. The factor s/n has the sign of s.
With s = 0, both the row of W and dv are 0. But ds is in general not 0, so descent can move s away from 0.

Cost: one dot product per row and a few operations per element, O(k·d). The product of W and a batch costs far more. The
backward needs v, s and one norm per row.

PyTorch: `torch.nn.utils.parametrizations.weight_norm(layer)` keeps s as `original0`, of shape (k, 1), and v as
`original1`. The call sets v to the old weight and s to the norms of its rows, so the weight stays the same. Each access
to `layer.weight` computes W anew. `WeightNormInterfaceBackward0` saves v, s and the norms. With `dim=None` there is one
s and one norm for the whole matrix. A row of zeros in v gives NaN.

Asked next:

- Gradient descent runs on v. How does |v| change, and what follows for the learning rate? → The step is orthogonal to
  v, so |v|² grows by lr²·|dv|² and never shrinks. dv is proportional to 1/|v|, and u turns by about lr·|dv|/|v|. So
  large early steps lengthen v and make later turns smaller.
- v is doubled, and s stays the same. What happens to W, ds and dv? → W and ds stay the same, because both depend only
  on u and s. dv is halved.
- Does weight decay on v limit the weight? → No. Shrinking v does not change W, and only makes dv larger. Decay limits W
  if it acts on s.
- How does weight norm differ from batch norm, which divides the output by its statistics? → Weight norm reads only the
  weight, so samples stay independent, and training and inference compute the same function. But weight norm does not
  keep the scale of the activations fixed.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, normal

HINTS = (
    "W is a number times a unit vector. What is the gradient of the number? What happens to W if you stretch v?",
    (
        "With u = v/|v|, ds is the dot product of g and u in each row. For dv, remove from g its part along u, and "
        "multiply by s/|v|."
    ),
    "Compute the norms with `keepdims=True`, then u, then ds with one sum per row. Then `dv = ... * (g - u * ...)`.",
)
CASES = [
    given("v[k,d] s[k]", v=away_from_zero(0.3)),
    given("v[5,3] s[5]"),
    given("v[2,4] s[2]", s=[-1.5, 0.0], note="a negative and a zero scale"),
    given("v[k,1] s[k]", v=away_from_zero(0.3), note="rows of one element"),
    given("v[k,3] s[k]", v=normal(1e13), s=normal(1e13), note="rows of length 1e13"),
    given("v[k,3] s[k]", v=normal(1e-13), note="rows of length 1e-13"),
]


def forward(v, s):
    return s[:, None] * v / engine.norm(v, axis=1, keepdims=True)


def weightnorm_backward(g, v, s):
    norm = np.sqrt((v * v).sum(axis=1, keepdims=True))
    u = v / norm
    ds = (g * u).sum(axis=1)
    dv = s[:, None] / norm * (g - u * ds[:, None])
    return dv, ds


MISTAKES = [
    edit(
        "no-projection",
        "the norm of v is a constant",
        "If you stretch v, does W move? Is your dv orthogonal to v?",
        "(g - u * ds[:, None]) -> g",
    ),
    edit(
        "ds-uses-v",
        "s multiplies v itself",
        "What does s multiply in the forward: v, or the unit vector?",
        "(g * u).sum(axis=1) -> (g * v).sum(axis=1)",
        "u * ds[:, None] -> u * (g * u).sum(axis=1)[:, None]",
    ),
    edit(
        "no-s",
        "s does not affect the gradient of v",
        "If s is 0, does W depend on v?",
        "s[:, None] / norm -> 1 / norm",
    ),
    edit(
        "no-1/norm",
        "dv does not depend on the length of v",
        "Move the tip of a long arrow and of a short arrow by 1 cm. Which arrow turns further?",
        "s[:, None] / norm -> s[:, None]",
    ),
    edit(
        "s-on-first-term",
        "s scales only the first of the two terms of dv",
        "The gradient of u is s·g. From which vector must the part along u be removed?",
        "s[:, None] / norm * (g - u * ds[:, None]) -> (s[:, None] * g - u * ds[:, None]) / norm",
    ),
    edit(
        "s-positive",
        "s is the length of the row of W, and therefore positive",
        "With s = -1.5, which way does W point if v points to the right?",
        "s[:, None] / norm -> np.abs(s)[:, None] / norm",
    ),
    edit(
        "ds-uses-W",
        "the derivative of W with respect to s is W",
        "W = s·u. What is the derivative of a product with respect to its first factor?",
        "(g * u).sum(axis=1) -> (g * u).sum(axis=1) * s",
        "u * ds[:, None] -> u * (g * u).sum(axis=1)[:, None]",
    ),
    edit(
        "columns",
        "each column of v has its own norm",
        "s has one entry for each row. Which entries of v share a norm?",
        "(v * v).sum(axis=1 -> (v * v).sum(axis=0",
    ),
    edit(
        "one-norm",
        "the whole matrix has one norm",
        "s has one entry for each row. Which entries of v share a norm?",
        "(v * v).sum(axis=1, keepdims=True) -> (v * v).sum()",
    ),
    edit(
        "plus",
        "the part along u is added to g",
        "If you stretch v, W does not move. Is your dv orthogonal to v?",
        "g - u -> g + u",
    ),
    edit(
        "x-for-y",
        "v can take the place of the unit vector in the projection",
        "The part of g along v cannot be longer than g. How long is v times g·u if v is very long?",
        "g - u * -> g - v *",
    ),
    edit(
        "one-projection",
        "the part of g along u is one sum over the whole matrix",
        "Each row of v has its own norm. How many numbers must the sums in dv give?",
        "u * ds[:, None] -> u * ds.sum()",
    ),
    edit(
        "projection-by-column",
        "the part of g along u is summed over each column",
        "Each row of v has its own norm. Over which entries does the projection of a row sum?",
        "u * ds[:, None] -> u * (g * u).sum(axis=0)",
    ),
    edit(
        "mean-in-projection",
        "the part of g along u is a mean over the row",
        "u is a unit vector. How long is the part of g along u if g is u itself?",
        "u * ds[:, None] -> u * ds[:, None] / v.shape[1]",
    ),
    edit(
        "norm-plus-constant",
        "a small constant added to the norm changes nothing",
        "A row has the norm 1e-14. By which factor does a constant such as 1e-12 change it?",
        "keepdims=True)) -> keepdims=True)) + 1e-12",
    ),
    edit(
        "norm-at-least-a-constant",
        "a norm is never below a small constant",
        "A row has the norm 1e-14. Which number does your code divide by?",
        "norm = ... -> norm = np.maximum(np.sqrt((v * v).sum(axis=1, keepdims=True)), 1e-12)",
    ),
]
