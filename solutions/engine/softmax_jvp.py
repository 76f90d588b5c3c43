"""Write p = softmax(x). Along a row, p_i = exp(x_i) / Σ_k exp(x_k); take logarithms and let the inputs move:

    d(log p_i) = v_i - Σ_k p_k v_k        so        dp_i = p_i (v_i - Σ_k p_k v_k)

Each probability grows, relative to itself, at the rate by which its logit outruns the average logit, the average taken
under p. Move all logits alike and nothing happens; and the velocities of a row sum to 0, as the probabilities keep
summing to 1.

This is, letter for letter, the backward with `g` for `v`: the Jacobian diag(p) - p pᵀ is symmetric, so J v and Jᵀ g are
one function.

Cost: O(n) a row of n, as the forward: beside p two products, a subtraction and a sum, where the matrix J would take n².
Value and tangent move on together, so nothing is kept for later; J itself would take n such passes.

PyTorch: under `torch.func.jvp` (and `torch.autograd.forward_ad`) softmax computes p·(v − the JVP of logsumexp), and for
the latter it takes the exponentials of the logits a second time. No tensor is saved. Backward has only the saved p and
g to work with, in one kernel, `_softmax_backward_data`.

Asked next:

- And the JVP of log_softmax? → The bracket alone: v − Σ p v. Its Jacobian, I − 1 pᵀ, is not symmetric, so here backward
  is another function: g − p Σ g.
- g·(J v) = v·(Jᵀ g) holds for your two products. Are they right? → Not shown: any symmetric matrix, used for both,
  passes the test, such as the elementwise p(1 − p)v. Differences of the forward settle it, and so does v = 1, which
  must give 0 and with that formula in general does not.
- Some logits are −∞, a mask. What comes out? → There p = 0 and the velocity is 0, if v is finite; an infinite v makes
  0·∞ = NaN, which the sum spreads over the row. A row of nothing but −∞ is NaN already in the forward, as −∞ − (−∞).
- The logits are divided by a temperature τ. How do the probabilities move with τ? → x/τ moves at −x/τ², so dp = −p (x −
  Σ p x) / τ², with p at that temperature: raising τ moves probability from the logits above their average under p to
  those below it.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "Divide dp by p: how fast does the logarithm of each probability move, if log p = x - logsumexp(x)?",
    "The rate is the logit's own velocity less the average velocity; the weights of the average are the probabilities.",
    "`p * (v - (...).sum(axis=-1, keepdims=True))`, with p computed from logits whose largest is 0.",
)
TANGENTS = ("v",)
CASES = [
    given("x[n,m]", empty=False),
    given("x[m]", empty=False),
    given("x[k,n,m]", empty=False),
    given("x[n,m]", g=1.0, empty=False, note="constant tangent"),
    given("x[n,m]", x=normal(mean=1000), smooth=False, empty=False, note="logits near 1000"),
    given("x[2,3]", x=[[900.0, 0.0, -900.0], [-900.0, -901.0, -902.0]], smooth=False, note="rows of other scales"),
    given(
        "x[n,m]",
        large={"n": 2, "m": 2048},
        memory=4 << 20,
        seconds=2.0,
        because="the m x m Jacobian",
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
    "each probability moves with its own logit alone",
    "All logits move at once. Raise one: what do the others' probabilities do?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    return p * (1 - p) * v


@mistake(
    "no-p",
    "the velocity of log p is the velocity of p",
    "Which function is that the JVP of: softmax, or its logarithm?",
)
def softmax_jvp(x, v):
    return v - (softmax(x) * v).sum(axis=-1, keepdims=True)


@mistake("plain-mean", "the average velocity is the plain mean", "Which logits matter more to the sum of exponentials?")
def softmax_jvp(x, v):
    return softmax(x) * (v - v.mean(axis=-1, keepdims=True))


@mistake(
    "overflow", "exp may be taken of any logit", "What is exp(1000)? What may be subtracted from all logits at will?"
)
def softmax_jvp(x, v):
    e = np.exp(x)
    p = e / e.sum(axis=-1, keepdims=True)
    return p * (v - (p * v).sum(axis=-1, keepdims=True))


@mistake(
    "jacobian",
    "to multiply by the Jacobian one needs the Jacobian",
    "How many entries has the Jacobian of a row of 50,000 logits? And how many numbers do you return for it?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    J = p[..., :, None] * (np.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :])
    return (J @ v[..., None])[..., 0]


@mistake(
    "weights-outside",
    "the average velocity is taken off what is weighted already",
    "Probabilities sum to 1 at any time. What must their velocities sum to, and what do yours?",
)
def softmax_jvp(x, v):
    p = softmax(x)
    return p * v - (p * v).sum(axis=-1, keepdims=True)


@mistake(
    "first-axis",
    "softmax runs along the first axis",
    "Which entries of `out` sum to 1: those of a row, or those of a column?",
)
def softmax_jvp(x, v):
    e = np.exp(x - x.max(axis=0))
    p = e / e.sum(axis=0)
    return p * (v - (p * v).sum(axis=0))
