"""To get the JVP of p = softmax(x), differentiate log p. Along a row, log p_i = x_i - log Σ_k exp(x_k). If x moves with
velocity v, then

    d(log p_i) = v_i - Σ_k p_k v_k        so        dp_i = p_i (v_i - Σ_k p_k v_k)

The relative growth of each probability is the velocity of its logit minus the average velocity of the row, with p as
weights. If all logits move at the same velocity, p does not change. The entries of dp in a row sum to 0, because the
probabilities always sum to 1.

The backward of softmax has the same formula, with `g` in place of `v`. The Jacobian J = diag(p) - p pᵀ is symmetric, so
J v and Jᵀ g are the same function.

Cost: O(n) for a row of n logits, as in the forward. Given p, the JVP takes two products, a subtraction and a sum.
Computing the matrix J would take O(n²). Value and tangent are computed together, so nothing is kept for later. The
whole of J would take n such passes.

PyTorch: under `torch.func.jvp` (and `torch.autograd.forward_ad`) softmax computes p·(v − the JVP of logsumexp). The JVP
of logsumexp takes the exponentials of the logits a second time. Forward mode saves no tensor. Backward needs only the
saved p and g, and it is one kernel, `_softmax_backward_data`.

Asked next:

- What is the JVP of log_softmax? → The JVP of log_softmax is the factor in brackets, v − Σ p v. The Jacobian of
  log_softmax, I − 1 pᵀ, is not symmetric, so the backward is another function, g − p Σ g.
- Your two products satisfy g·(J v) = v·(Jᵀ g). Are both products therefore right? → Not necessarily. Any symmetric
  matrix that is used for both products passes this test. An example is the diagonal matrix of the elementwise formula
  p(1 − p)v. Finite differences of the forward reveal this error. The tangent v = 1 also reveals it: the JVP must then
  be 0, and the elementwise formula in general does not give 0.
- Some logits are −∞, as under a mask. What is the result? → At a logit of −∞, p is 0, and dp is 0 if v is finite. An
  infinite v makes 0·∞ = NaN, and the sum spreads the NaN over the row. If all logits of a row are −∞, even the forward
  is NaN, because −∞ − (−∞) is NaN.
- The logits are divided by a temperature τ. How do the probabilities move with τ? → x/τ moves at −x/τ², so dp = −p (x −
  Σ p x) / τ², with p = softmax(x/τ). Raising τ moves probability from the logits above their average under p to the
  logits below this average.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "dp divided by p is the velocity of log p. What is this velocity, given that log p = x - logsumexp(x)?",
    (
        "The velocity of log p is the logit's own velocity minus an average velocity. The probabilities are the "
        "weights of that average."
    ),
    "Write `p * (v - (...).sum(axis=-1, keepdims=True))`. Compute p from logits shifted so that the largest is 0.",
)
TANGENTS = ("v",)
CASES = [
    given("x[n,m]"),
    given("x[m]"),
    given("x[2,k,n,m]"),
    given("x[n,m]", g=1.0, note="constant tangent"),
    given("x[n,m]", x=normal(mean=1000), smooth=False, note="logits near 1000"),
    given("x[2,3]", x=[[900.0, 0.0, -900.0], [-900.0, -901.0, -902.0]], smooth=False, note="rows of different scales"),
    given("x[2,3]", x=[[0.0, -16.0, -18.0], [-1.0, 0.0, -20.0]], smooth=False, note="probabilities from 2e-9 to 1"),
    given(
        "x[n,m]",
        large={"n": 2, "m": 50_000},
        memory=32 << 20,
        because="the m x m Jacobian is built",
        note="long rows",
    ),
]


def forward(x):
    return engine.softmax(x, axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_jvp(x, v):
    p = softmax(x)
    return p * (v - (p * v).sum(axis=-1, keepdims=True))


@mistake(
    "elementwise",
    "each probability depends only on its own logit",
    "If you raise one logit, what do the other probabilities do?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    return p * (1 - p) * v


@mistake(
    "no-p",
    "the velocity of log p is the velocity of p",
    "Which function has the JVP that you return, softmax or its logarithm?",
)
def softmax_jvp(x, v):
    return v - (softmax(x) * v).sum(axis=-1, keepdims=True)


@mistake(
    "plain-mean",
    "the average velocity is an unweighted mean",
    "Which logits contribute most to the sum of exponentials?",
)
def softmax_jvp(x, v):
    return softmax(x) * (v - v.mean(axis=-1, keepdims=True))


@mistake(
    "overflow",
    "exp of every logit is finite",
    "What is exp(1000)? What may be subtracted from all logits without changing softmax?",
)
def softmax_jvp(x, v):
    e = np.exp(x)
    p = e / e.sum(axis=-1, keepdims=True)
    return p * (v - (p * v).sum(axis=-1, keepdims=True))


@mistake(
    "jacobian",
    "multiplying by the Jacobian requires the Jacobian",
    "How many entries does the Jacobian of a row of 50,000 logits have? How many numbers do you return?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    J = p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])
    return (J @ v[..., None])[..., 0]


@mistake(
    "weights-outside",
    "the average velocity is subtracted after the weighting",
    "Probabilities always sum to 1. What must their velocities sum to, and what do your velocities sum to?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    return p * v - (p * v).sum(axis=-1, keepdims=True)


@mistake(
    "first-axis",
    "softmax runs along the first axis",
    "Which entries of `out` sum to 1: those of a row or those of a column?",
)
def softmax_jvp(x, v):
    e = np.exp(x - x.max(axis=0))
    p = e / e.sum(axis=0)
    return p * (v - (p * v).sum(axis=0))


@mistake(
    "tiny-is-zero",
    "a tiny probability counts as 0",
    "How far does a probability of 1e-7 move if its logit moves by 1? What does your code return there?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    p = np.where(p < 1e-6, 0, p)
    return p * (v - (p * v).sum(axis=-1, keepdims=True))
