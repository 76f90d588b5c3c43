"""A score s_ij reaches the loss along two paths: through out_i and through lse_i. The two contributions add up.

The probabilities are p = exp(s - lse), because lse is the logarithm of the softmax's denominator. Along the first path
the backward is the same as in attention. With D_i = g_i · out_i, the score receives p_ij (g_i · v_j - D_i).

Along the second path the score receives glse_i times the derivative of lse_i with respect to s_ij. The derivative of a
log-sum-exp with respect to one of its terms is the softmax of that term, here p_ij. Both contributions contain p_ij:

    ds_ij = p_ij (g_i · v_j - (D_i - glse_i))

So glse only changes the number that is subtracted in each row. The rest is as in attention: dv = pᵀ g, dq = ds k/√d and
dk = dsᵀ q/√d. The log-sum-exp does not depend on v, so glse does not enter dv.

Two checks follow. The rows of p sum to 1, so row i of ds sums to glse_i. Without glse, the row sums to 0. If g is 0,
then ds is p times glse.

Cost: one more subtraction per row than attention without the second output. Backward takes five matrix products if it
computes p again.

PyTorch: `flex_attention` can return the log-sum-exp and differentiates it. Its backward adds the cotangent of the
log-sum-exp to dp - D, row by row. `scaled_dot_product_attention` does not return the log-sum-exp. Its fused operators
return the log-sum-exp, but declare this output as not differentiable, so `lse.requires_grad` is False. If a loss reads
lse, the gradient along the second path is lost without an error.

Asked next:

- What must change in a FlashAttention backward kernel? → The loop over tiles stays the same. The kernel reads D, one
  number per row. A first pass computes D, and glse can be subtracted in this pass.
- Where does a loss read lse? → If the keys are split over devices, as in ring attention, each part gets the weight
  exp(lse - lse_all). Here lse_all is the log-sum-exp over all keys. An attention sink multiplies the output by σ(lse -
  sink). A z-loss on the attention scores penalises lse².
- You compute the loss from out alone, but you compute dq with glse = 1 in each row. What do you get? → You get the
  gradient of L + Σ_i lse_i. A cotangent that is not 0 states that the loss depends on this output.
- The keys of this part are all masked for query i. Then lse_i is -∞. What is p for this row? → exp(s - lse) is exp(-∞ +
  ∞) = NaN. Set p to 0 in such a row. The row then contributes nothing to dq, dk and dv.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    (
        "By which two paths does one score reach the loss? What is the derivative of a log-sum-exp with respect to "
        "one term?"
    ),
    (
        "ds is the sum of two terms. The first is p (dp - D), as in attention, with D = g · out. The second is p times "
        "the row's glse."
    ),
    (
        "Recover p as `np.exp(s - lse[:, None])`. Then `ds = p * (g @ v.T - ...)`, with one number per row in place of "
        "the dots."
    ),
)
COTANGENTS = ("g", "glse")
CASES = [
    given("q[n,d] k[m,d] v[m,e]", large={"n": 1, "m": 40_000, "d": 2, "e": 3}),
    given("q[n,d] k[1,d] v[1,e]", large=False, note="a single key"),
    given(
        "q[2,1] k[3,1] v[3,2]",
        q=[[30.0], [-29.5]],
        k=[[33.0], [32.98], [33.03]],
        v=[[1.0, 2.0], [3.0, -1.0], [0.5, 1.5]],
        note="scores of ±1000",
    ),
]


def forward(q, k, v):
    s = q @ k.mT / q.shape[-1] ** 0.5
    return engine.softmax(s) @ v, engine.logsumexp(s, axis=-1)


def saved(q, k, v):
    s = q.astype(float) @ k.astype(float).T / q.shape[-1] ** 0.5
    top = s.max(axis=1)
    lse = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
    out = np.exp(s - lse[:, None]) @ v
    return {"out": out.astype(q.dtype), "lse": lse.astype(q.dtype)}


def attention_lse_backward(g, glse, q, k, v, out, lse):
    scale = q.shape[-1] ** -0.5
    p = np.exp(q @ k.T * scale - lse[:, None])
    subtracted = (g * out).sum(axis=1) - glse
    ds = p * (g @ v.T - subtracted[:, None]) * scale
    return ds @ k, ds.T @ q, p.T @ g


MISTAKES = [
    edit(
        "scores-clipped",
        "clipping the scores before exp changes nothing but the overflow",
        "Take the scores 990 and 1000. What is their softmax before the clip, and what is it after the clip?",
        "p = ... -> e = np.exp(np.clip(q @ k.T * scale, -80, 80)); p = e / e.sum(axis=1, keepdims=True)",
    ),
    edit(
        "lse-ignored",
        "lse is a by-product that the loss does not read",
        "A later step gives this part a weight proportional to exp(lse). Which of q, k and v move this weight?",
        "- glse ->",
    ),
    edit(
        "lse-sign",
        "raising a score lowers lse",
        "Raise one score. Does the sum of exponentials grow or shrink?",
        "- glse -> + glse",
    ),
    edit(
        "lse-to-all-scores",
        "every score of a row moves lse by the same amount",
        "One score is 20 below the others. How far does lse move if this score moves by 1?",
        "ds = ... -> ds = (p * (g @ v.T - (g * out).sum(axis=1)[:, None]) + glse[:, None]) * scale",
    ),
    edit(
        "lse-unscaled",
        "the scale 1/√d is only in the path through out",
        "lse is computed from the scores. Were these scores scaled?",
        "ds = ... -> ds = p * ((g @ v.T - (g * out).sum(axis=1)[:, None]) * scale + glse[:, None])",
    ),
    edit(
        "no-scale",
        "the scale belongs only to the forward",
        "By how much does a score move when q·k moves by 1?",
        "[:, None]) * scale -> [:, None])",
    ),
    edit(
        "no-row-dot",
        "the gradient through out needs no sum over the row",
        (
            "Set glse to 0 and raise all scores of a row by the same amount. Does `out` move? Do the rows of your ds "
            "sum to 0?"
        ),
        "(g * out).sum(axis=1) - glse -> -glse",
    ),
    edit(
        "exp-ratio",
        "exp(s) / exp(lse) is as safe as exp(s - lse)",
        "Take a score of 1000. What are the numerator and the denominator?",
        "p = ... -> p = np.exp(q @ k.T * scale) / np.exp(lse[:, None])",
    ),
    edit(
        "lse-reaches-dv",
        "both cotangents flow into every input",
        "Change v, but not q and k. Does lse move?",
        "p.T @ g -> p.T @ (g + glse[:, None])",
    ),
    edit(
        "lse-by-out",
        "the gradient of lse passes through out",
        "lse is a second output, computed from the scores. Which step from the scores to lse uses v?",
        "(g * out).sum(axis=1) - glse -> ((g - glse[:, None]) * out).sum(axis=1)",
    ),
]
