"""The JVP follows the forward step by step. Each step turns the tangents of its inputs into the tangent of its output.

The scores s = q kᵀ/√d are a product, so both factors contribute:

    ds = (dq kᵀ + q dkᵀ)/√d

The next step is the softmax p. In each row, a probability grows if its score rises faster than the average of ds,
weighted by p:

    dp = p ∘ (ds - Σ_j p_j ds_j)

The output out = p v is a product again:

    dout = dp v + p dv

Two checks follow. The rows of dp sum to 0, because the rows of p always sum to 1. With a single key, p is always 1, so
dp is 0 and dout is dv.

Cost: the forward takes two matrix products, and the tangent takes four more. Nothing must be saved. A backward pass
also takes four products if p was saved.

PyTorch: The fused CPU kernel of `scaled_dot_product_attention` has no rule for forward mode. Under `torch.func.jvp` a
call with 4-D inputs of equal width therefore raises an error. With `sdpa_kernel(SDPBackend.MATH)` the call runs,
because every composed step has a rule. In JAX, attention that is written with `@` and `softmax` also runs in forward
mode.

Asked next:

- How do you compute the JVP in one pass over blocks of keys? → Let e = exp(s - m) with the running maximum m. Carry the
  sums Σ e, Σ e·ds, Σ e·v and Σ e·(ds·v + dv). Rescale all four when m rises. At the end, out = Σ e·v / Σ e, and dout =
  (Σ e·(ds·v + dv) - out · Σ e·ds) / Σ e.
- Where is the JVP of attention needed? → Continuous-time consistency models and MeanFlow train on the time derivative
  of a network. A product of the Gauss-Newton matrix with a vector takes three steps: a JVP, a product with the Hessian
  of the loss with respect to the outputs, and a VJP. If the loss is half the sum of squared errors, this Hessian is the
  identity.
- How do you test a JVP against a backward pass without finite differences? → Let the backward return q̄, k̄ and v̄ for
  some g. Then g · dout must equal dq · q̄ + dk · k̄ + dv · v̄ for all tangents. Each of these products is a sum over
  all entries.
- A causal mask is added. What changes? → p is 0 at masked keys, so dp is 0 there for any finite ds. Compute p from
  masked scores, and leave ds as it is. Setting ds to -∞ at masked keys would make 0 · ∞ = NaN.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "The forward has three steps. What is the tangent of a product of two factors that both move?",
    (
        "ds = (dq kᵀ + q dkᵀ)/√d. In each row, dp = p (ds - c), where c is the average of ds, weighted by p. Then "
        "apply the product rule to p v."
    ),
    "Write `dp = p * (ds - (...).sum(axis=1, keepdims=True))` and `dout = dp @ v + ...`.",
)
CASES = [
    given("q[n,d] k[m,d] v[m,e]", large={"n": 40, "m": 50, "d": 500, "e": 400}),
    given("q[n,d] k[1,d] v[1,e]", large=False, note="a single key"),
    given("q[n,d] k[n,d] v[n,e]", g=1.0, large=False, note="all tangents 1"),
    given(
        "q[3,2] k[3,2] v[3,2]",
        q=[[42.0, 0.0], [-41.0, 1.0], [0.0, -990.0]],
        k=[[33.0, 1.0], [32.98, 1.0], [-33.0, 1.0]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5]],
        smooth=False,
        note="scores of ±1000",
    ),
]


def forward(q, k, v):
    return engine.scaled_dot_product_attention(q, k, v)


def attention_jvp(q, k, v, dq, dk, dv):
    scale = q.shape[1] ** -0.5
    s = q @ k.T * scale
    p = np.exp(s - s.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    ds = (dq @ k.T + q @ dk.T) * scale
    dp = p * (ds - (p * ds).sum(axis=1, keepdims=True))
    return dp @ v + p @ dv


MISTAKES = [
    edit(
        "keys-frozen",
        "the scores move only with the queries",
        "A score is a product of two factors. Which factor's tangent is missing?",
        "(dq @ k.T + q @ dk.T) -> (dq @ k.T)",
    ),
    edit(
        "values-frozen",
        "out moves only with the probabilities",
        "out is linear in v. What is the tangent of a linear function?",
        "dp @ v + p @ dv -> dp @ v",
    ),
    edit(
        "not-centred",
        "the tangent of p is p times ds",
        "The rows of p always sum to 1. What must the rows of dp sum to?",
        "dp = ... -> dp = p * ds",
    ),
    edit(
        "plain-mean",
        "the average of ds is an unweighted mean",
        "Which scores contribute most to the sum of exponentials?",
        "(p * ds).sum -> ds.mean",
    ),
    edit(
        "no-scale",
        "the scale 1/√d does not apply to tangents",
        "By how much does a score move when q·k moves by 1?",
        "(dq @ k.T + q @ dk.T) * scale -> (dq @ k.T + q @ dk.T)",
    ),
    edit(
        "elementwise",
        "each probability depends only on its own score",
        "Raise one score. Do the other probabilities of the row stay the same?",
        "dp = ... -> dp = p * (1 - p) * ds",
    ),
    edit(
        "product-of-tangents",
        "the tangent of a product is the product of the tangents",
        "Hold k fixed. Does q kᵀ still move if q moves?",
        "(dq @ k.T + q @ dk.T) -> (dq @ dk.T)",
        "dp @ v + p @ dv -> dp @ dv",
    ),
    edit(
        "column-average",
        "softmax normalised over the queries",
        "What sums to 1 in p: a row or a column?",
        "(p * ds).sum(axis=1, keepdims=True) -> (p * ds).sum(axis=0, keepdims=True)",
    ),
    edit(
        "no-shift",
        "exp of every score is finite",
        "What is exp(1000)? What may be subtracted from all scores of a row?",
        "np.exp(s - s.max(axis=1, keepdims=True)) -> np.exp(s)",
    ),
    edit(
        "width-of-v",
        "the tangents of the scores are divided by the root of the width of v",
        "Over which axis does q @ kᵀ sum, and how long is that axis?",
        "ds = ... -> ds = (dq @ k.T + q @ dk.T) / v.shape[1] ** 0.5",
    ),
    edit(
        "scores-by-width-of-v",
        "the scores are divided by the root of the width of v",
        "Over which axis does q @ kᵀ sum, and how long is that axis?",
        "scale = q.shape[1] ** -0.5 -> scale = v.shape[1] ** -0.5",
    ),
    edit(
        "scores-by-keys",
        "the scores are divided by the root of the number of keys",
        "Over which axis does q @ kᵀ sum, and how long is that axis?",
        "scale = q.shape[1] ** -0.5 -> scale = len(k) ** -0.5",
    ),
    edit(
        "tangent-by-d",
        "the tangents of the scores are divided by d",
        "The scores are divided by √d. By which number must their tangents be divided?",
        "ds = ... -> ds = (dq @ k.T + q @ dk.T) / q.shape[1]",
    ),
    edit(
        "scores-clipped",
        "clipping the scores does not change the probabilities",
        "A row has the scores 500 and 400. What are its probabilities, before and after your clip?",
        "np.exp(s - s.max(axis=1, keepdims=True)) -> np.exp(np.clip(s, -80, 80))",
    ),
]
