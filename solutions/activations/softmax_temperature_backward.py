"""The forward has two steps: z = x/T, and out = softmax(z). The backward of softmax gives the gradient dz of z:

    dz = out ∘ (g - Σ g ∘ out)

The product ∘ is elementwise, and the sum runs along the last axis. The derivative of z = x/T with respect to x is 1/T,
and its derivative with respect to T is -x/T². All elements share T, so the gradient of T is a sum over the whole array:

    dx = dz / T        dT = -Σ dz ∘ x / T² = -Σ dx ∘ x / T

The last form reuses dx. The same dT also follows without the quotient rule. Scaling x and T by the same factor leaves
x/T unchanged, so the loss does not move in this direction: Σ dx ∘ x + dT · T = 0.

Two checks follow. If all logits of a row are equal, out does not depend on T, and the row contributes 0 to dT, because
dz sums to 0 along the row. For g = x, the sum of dz ∘ x along a row is the variance of x under the probabilities of the
row. So dT is never positive for g = x: a higher temperature moves probability from large logits to small ones.

Cost: the backward of softmax, one division per element, and one product and one addition per element for dT. If T is
constant, only out has to be saved. A learned T also needs x. The backward could use T · log out instead of x. T · log
out and x differ by a constant in each row, which does not matter because dz sums to 0. But log out is -∞ if a
probability rounds to 0.

PyTorch: `torch.softmax(x / T, dim=-1)` records `DivBackward0` and `SoftmaxBackward0`. `DivBackward0` saves x only if T
requires a gradient. It computes the gradient of T for each element, and then sums these gradients to the shape of T.

Asked next:

- Why does CLIP learn s = log(1/T) instead of T? → The logits are exp(s) · x, so the temperature stays positive for each
  s and nothing is divided. The gradient of s is Σ dz ∘ z with z = exp(s) · x.
- What happens to dx for a very large and for a very small T? → For a large T, out is nearly uniform, and dx falls like
  1/T. For a small T, out is nearly one-hot. dz then falls exponentially, faster than 1/T grows, so dx vanishes. Both
  limits hold for a g that does not depend on T.
- The loss is the cross-entropy of softmax(x/T). What happens to dx for a small T? → The gradient of z is out - onehot.
  For a wrong prediction this gradient does not vanish, so dx grows like 1/T.
- A policy samples at T = 0.7. Which log-probabilities does its policy gradient need? → It needs the log-probabilities
  of softmax(x/0.7), because this is the distribution that was sampled. The gradient of the logits then contains the
  factor 1/0.7.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, uniform

HINTS = (
    "The forward has two steps. In which of them does T appear, and how many elements share T?",
    (
        "First compute the gradient of x/T by the rule of softmax. The derivative of x/T is 1/T with respect to x, "
        "and -x/T² with respect to T."
    ),
    "dx is dz / T. For dT, sum `dx * ...` over the whole array, divide by T, and choose the sign.",
)
FAR_APART = [[900.0, 0.0, -900.0], [-700.0, -900.0, 100.0]]
CASES = [
    given("x[n,m] T[]", T=uniform(0.3, 3), large=False),
    given("x[2,k,n,m] T[]", T=uniform(0.3, 3), large=False),
    given("x[m>=2] T[]", T=uniform(2, 4), large=False, note="one row"),
    given("x[2,3] T[]", x=[[1.0, 1.0, 1.0], [-2.0, -2.0, -2.0]], T=0.5, large=False, note="equal logits"),
    given("x[2,3] T[]", x=FAR_APART, T=0.5, smooth=False, large=False, note="probabilities of 0 and 1"),
    given(
        "x[n,m] T[]",
        T=uniform(0.3, 3),
        large={"n": 2, "m": 50_000},
        memory=16 << 20,
        because="the m x m Jacobian is built",
        note="long rows",
    ),
]
MISTAKES = [
    edit(
        "no-1/T",
        "softmax acts on x itself",
        "By how much does x/T move when x moves by 1?",
        "dx = dz / T -> dx = dz",
        "(dx * x).sum() / T -> (dx * x).sum() / T**2",
    ),
    edit(
        "dT-sign",
        "raising T raises x/T",
        "Let x be positive. Does x/T grow or shrink when T grows?",
        "-(dx * x) -> (dx * x)",
    ),
    edit(
        "dT-one-power",
        "the derivative of 1/T is -1/T",
        "What is the derivative of 1/T?",
        "(dx * x).sum() / T -> (dx * x).sum()",
    ),
    edit(
        "dT-three-powers",
        "the derivative of x/T with respect to T is -(x/T)/T²",
        "x/T is x times 1/T. Which factor does not depend on T?",
        "(dx * x).sum() / T -> (dx * x).sum() / T**2",
    ),
    edit(
        "diagonal-only",
        "each probability depends only on its own logit",
        "Raise one logit: what happens to the other probabilities of its row?",
        "dz = ... -> dz = out * g * (1 - out)",
    ),
    edit(
        "no-subtract",
        "the slope of softmax is the output itself",
        "The outputs of a row sum to 1, so a constant g must give 0. Does your code give 0?",
        "dz = ... -> dz = out * g",
    ),
    edit(
        "dT-mean",
        "the elements' contributions to dT are averaged",
        "Every element uses the same T. Do the elements' contributions to dT add up, or are they averaged?",
        "(dx * x).sum() / T -> (dx * x).mean() / T",
    ),
    edit(
        "dT-per-row",
        "each row has its own temperature",
        "T is one number. Which elements contribute to its gradient?",
        "(dx * x).sum() / T -> (dx * x).sum(axis=-1) / T",
    ),
    edit(
        "dT-uses-out",
        "the probabilities multiply dz in dT",
        "T divides x. Which array multiplies 1/T in the forward?",
        "(dx * x) -> (dx * out)",
    ),
    edit(
        "times-T",
        "backward undoes the division by T",
        "Let T be 10. If x moves by 1, does x/T move by more or by less than 1?",
        "dx = dz / T -> dx = dz * T",
        "(dx * x).sum() / T -> (dx * x).sum() / T**3",
    ),
    edit(
        "weights-outside",
        "the factor `out` multiplies only g, not the sum",
        "dz must sum to 0 along a row. Does your dz?",
        "dz = ... -> dz = out * g - (g * out).sum(axis=-1, keepdims=True)",
    ),
    edit(
        "dT-softmax-skipped",
        "g is also the gradient of x/T",
        "Which step lies between x/T and out? Which of your arrays holds the gradient of x/T?",
        "-(dx * x).sum() / T -> -(g * x).sum() / T**2",
    ),
    edit(
        "dT-mean-of-rows",
        "the rows' contributions to dT are averaged",
        "Every row uses the same T. Do the rows' contributions add up, or are they averaged?",
        "(dx * x).sum() / T -> (dx * x).sum(axis=-1).mean() / T",
    ),
    edit(
        "dT-without-x",
        "dT is minus the sum of dz, divided by T²",
        "x/T is a product of x and 1/T. Which factor does the derivative with respect to T keep?",
        "(dx * x).sum() / T -> dx.sum() / T",
    ),
    edit(
        "mean-of-row",
        "the backward of softmax subtracts the mean of g · out",
        "The outputs of a row sum to 1, so a constant g must give 0. Does your code give 0?",
        "(g * out).sum( -> (g * out).mean(",
    ),
    edit(
        "unweighted-sum",
        "the backward of softmax subtracts the sum of g",
        "The subtracted number is an average of g. Which weights does this average have?",
        "(g * out).sum(axis -> g.sum(axis",
    ),
    edit(
        "whole-sum",
        "the softmax runs over all elements",
        "Which probabilities sum to 1? Over which elements does your sum of g · out run?",
        "(g * out).sum(axis=-1, keepdims=True) -> (g * out).sum()",
    ),
    edit(
        "sum-as-column",
        "the axis that the sum removes is axis 1",
        "x has the shape (2, 3, 4). Which shapes do your sum and `out` have? Where must the summed axis come back?",
        "(g * out).sum(axis=-1, keepdims=True) -> (g * out).sum(axis=-1)[:, None]",
    ),
    edit(
        "first-axis",
        "the softmax runs along the first axis",
        "Along which axis does the task take the softmax?",
        "(g * out).sum(axis=-1, -> (g * out).sum(axis=0,",
    ),
    edit(
        "dx-T-squared",
        "dx contains 1/T twice",
        "x/T has the slope 1/T. How many times does your dx contain 1/T?",
        "dx = dz / T -> dx = dz / T**2",
        "(dx * x).sum() / T -> (dx * x).sum()",
    ),
]


def forward(x, T):
    return engine.softmax(x / T, axis=-1)


def softmax_temperature_backward(g, x, T, out):
    dz = out * (g - (g * out).sum(axis=-1, keepdims=True))
    dx = dz / T
    dT = -(dx * x).sum() / T
    return dx, dT


@mistake(
    "temperature-dropped",
    "the probabilities are softmax(x), without the temperature",
    "Which probabilities did the forward compute? Which argument holds them?",
)
def softmax_temperature_backward(g, x, T, out):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    dx = p * (g - (g * p).sum(axis=-1, keepdims=True)) / T
    return dx, -(dx * x).sum() / T


@mistake(
    "through-g",
    "T only rescales the outputs",
    "Let g be the same in the whole row. The probabilities sum to 1 at each T. What must dT be?",
)
def softmax_temperature_backward(g, x, T, out):
    dx = out * (g - (g * out).sum(axis=-1, keepdims=True)) / T
    return dx, -(g * out).sum() / T


@mistake(
    "log-of-zero",
    "no probability rounds to 0",
    "A probability rounds to 0. What is its logarithm, and what is 0 times that logarithm?",
)
def softmax_temperature_backward(g, x, T, out):
    dx = out * (g - (g * out).sum(axis=-1, keepdims=True)) / T
    return dx, -(dx * np.log(out)).sum()


@mistake(
    "no-max-shift",
    "exp of every logit is finite",
    "What is exp(1800)? Do you need to compute the probabilities again?",
)
def softmax_temperature_backward(g, x, T, out):
    e = np.exp(x / T)
    p = e / e.sum(axis=-1, keepdims=True)
    dx = p * (g - (g * p).sum(axis=-1, keepdims=True)) / T
    return dx, -(dx * x).sum() / T


@mistake(
    "jacobian",
    "multiplying by the Jacobian requires building it",
    "How many entries does the Jacobian of a row of 50,000 logits have? How many numbers do you return?",
)
def softmax_temperature_backward(g, x, T, out):
    J = out[..., :, None] * (np.eye(out.shape[-1], dtype=out.dtype) - out[..., None, :])
    dx = (J @ g[..., None])[..., 0] / T
    return dx, -(dx * x).sum() / T
