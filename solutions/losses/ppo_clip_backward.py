"""PPO's loss (Schulman et al., 2017) takes the smaller of two terms for each token. The first term is r·A. The slope of
r with respect to logp is r, so the slope of this term is r·A. The second term is clip(r)·A. Its slope is 0 outside the
band, because the clipped ratio is constant there. Inside the band the two terms are equal.

So only one question is left: where is the second term smaller? A positive A keeps the order of r and clip(r), and a
negative A reverses it:

               r < 1 - eps    inside    r > 1 + eps
    A > 0          r·A          r·A          0
    A < 0           0           r·A         r·A

With the mean and the sign of the loss, dlogp = -g/N times the entry of this table. The gradient is 0 only if the policy
has already moved far in the direction that A asks for. In the two other corners the policy has moved in the wrong
direction, and the full gradient brings it back. A clip without the minimum would set all four corners to 0.

At the edge of the band the two terms are equal, so `<=` counts the edge as inside. With `<` the whole inside of the
band would have no gradient, because the two terms are equal there as well.

Cost: one exponential and about eight other operations per token, as in the forward. Backward needs the log-ratios, or
the ratios, and the advantages. The expensive part is computing `logp`, which takes a forward of the model. `logp_old`
costs a second forward, or is saved during sampling.

PyTorch: Autograd finds this gradient for the loss `-torch.minimum(r * adv, r.clamp(1 - eps, 1 + eps) * adv).mean()`. At
a tie, the backward of `minimum` gives each term one half. The backward of `clamp` passes the gradient inside the band
and on its edges. Inside the band the two halves therefore add up to r·A. JAX differs on the edge: its `clip` also
halves the gradient there, so the sum is 3/4 of r·A.

Asked next:

- A log-ratio is 100, and A is positive. What does autograd return in float32, and what does your code return? → r is
  inf. Autograd multiplies the 0 from `minimum` by the slope of exp, which is inf, and 0 · inf is NaN. `np.where`
  selects 0 and never multiplies inf by 0. Libraries such as verl clamp the log-ratio to ±20.
- Does the clip keep the ratios inside the band? → No. The clip only removes a token's own gradient. Gradients of other
  tokens, and the momentum of the optimiser, can still move the ratio further. Training code therefore reports the
  fraction of clipped tokens and an estimate of the KL divergence.
- A is negative, and r is 1000. How large is the gradient, and how can it be bounded? → The gradient is proportional to
  r·A, so one such token can dominate the batch. Dual-clip PPO (Ye et al., 2020) bounds the objective of a negative A
  from below by c·A, with c around 3. Beyond r = c the gradient is then 0.
- What is the gradient in the first step, and is it ever clipped? → At r = 1 each token contributes -A/N times g, which
  is the policy gradient. A ratio of 1 is inside the band, so the clip has no effect before the second step on the same
  samples.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "The clipped term is constant outside the band. For which signs of A is the clipped term the smaller one?",
    (
        "If r·A is the smaller term, or if the two terms are equal, the slope with respect to logp is r·A. Otherwise "
        "the slope is 0. Then apply the mean, the minus sign and g."
    ),
    "Compute both terms of the minimum. Keep r · adv where it is at most the clipped term, and put 0 elsewhere.",
)
WRT = ("logp",)
RESULTS = ("dlogp",)
ARRAYS = "logp[N] logp_old[N] adv[N]"


# On this grid no log-ratio is near an edge of the band, so rounding in float32 moves no ratio over an edge.
def grid(rng, shape, _):
    return rng.integers(-24, 1, shape) / 32


CASES = [
    given(ARRAYS, logp=grid, logp_old=grid, eps=0.2),
    given(ARRAYS, logp=grid, logp_old=grid, eps=0.5, large=False, note="eps=0.5"),
    given(
        "logp[9] logp_old[9] adv[9]",
        logp=[0.5, -0.5, 0.5, -0.5, 0.19, 0.19, -0.21, -0.21, 0.05],
        logp_old=0.0,
        adv=[1.0, 2.0, -1.5, -1.0, 1.0, -2.0, 0.5, -1.0, 0.0],
        eps=0.2,
        note="both signs of A, on both sides of each edge",
    ),
    given("logp[3] logp_old[3] adv[3]", logp=-1.0, logp_old=-1.0, eps=0.2, note="first step, with ratios of 1"),
    given(
        "logp[4] logp_old[4] adv[4]",
        logp=[-1.0, -2.0, -1.0, -1.5],
        logp_old=[-1.0, -2.0, -1.5, -1.0],
        adv=[1.0, -2.0, 1.5, -0.5],
        eps=0.0,
        smooth=False,
        note="ratios at the edge, with eps=0",
    ),
    given(
        "logp[4] logp_old[4] adv[4]",
        logp=[1e-9, 1e-9, -1e-9, -1e-9],
        logp_old=[0.0, 0.0, 0.0, 0.0],
        adv=[1.0, -2.0, 1.5, -0.5],
        eps=0.0,
        smooth=False,
        note="ratios next to the edge",
    ),
    given(
        "logp[3] logp_old[3] adv[3]",
        logp=[-1.0, -21.0, -1.0],
        logp_old=[-21.0, -1.0, -12.0],
        adv=[-1.0, 2.0, -0.5],
        eps=0.2,
        note="log-ratios of ±20",
    ),
]
MISTAKES = [
    edit(
        "clip-kills-all",
        "the gradient is 0 wherever the ratio is outside the band",
        "Take A < 0 and r = 2. Which of the two terms is smaller, and is it the clipped one?",
        "active = ... -> active = r == clipped",
    ),
    edit(
        "tie-inactive",
        "the term with r must be strictly smaller to have a gradient",
        "Inside the band the two terms are equal. Should a token with r = 1 learn nothing?",
        "<= -> <",
    ),
    edit(
        "tie-halved",
        "at a tie only half of the gradient remains",
        "Inside the band both terms are functions of r. What do the two halves of the gradient add up to?",
        "return ... -> return -g / len(r) * np.where(active, r * adv, 0) * np.where(r == clipped, 0.5, 1)",
    ),
    edit(
        "edge-is-clipped",
        "a ratio at the edge of the band is clipped",
        "Which slope does the task state for a ratio of exactly 1 + eps?",
        "active = ... -> active = np.where(adv > 0, r < 1 + eps, r > 1 - eps)",
    ),
    edit(
        "no-ratio",
        "the slope of the ratio with respect to logp is 1",
        "r is an exponential of logp. What is the derivative of an exponential?",
        "r * adv, 0 -> adv, 0",
    ),
    edit(
        "clipped-ratio",
        "the slope contains the clipped ratio",
        "Take A > 0 and r = 0.5. Which term is the minimum, and does it contain the clipped ratio?",
        "active, r -> active, clipped",
    ),
    edit(
        "no-clip",
        "the clip changes the value of the loss and not its gradient",
        "Take A > 0 and r = 2. Does the loss still change if r grows a little?",
        "np.where(active, r * adv, 0) -> r * adv",
    ),
    edit(
        "upper-only",
        "the clip only bounds the ratio from above",
        "Take A < 0 and r = 0.5. Which of the two terms is smaller?",
        "np.clip(r, 1 - eps, 1 + eps) -> np.minimum(r, 1 + eps)",
    ),
    edit(
        "lower-only",
        "the clip only bounds the ratio from below",
        "Take A > 0 and r = 2. Which of the two terms is smaller?",
        "np.clip(r, 1 - eps, 1 + eps) -> np.maximum(r, 1 - eps)",
    ),
    edit(
        "above-always-clipped",
        "a ratio above the band has no gradient, whatever the sign of A",
        "Take A < 0 and r = 2. Which of the two terms is smaller, and is it the clipped one?",
        "active = ... -> active = (r * adv <= clipped * adv) & (r <= 1 + eps)",
    ),
    edit(
        "below-always-clipped",
        "a ratio below the band has no gradient, whatever the sign of A",
        "Take A > 0 and r = 0.5. Which of the two terms is smaller, and is it the clipped one?",
        "active = ... -> active = (r * adv <= clipped * adv) & (r >= 1 - eps)",
    ),
    edit(
        "mean-over-active",
        "the mean runs over the tokens that are not clipped",
        "By which number does the task divide? Does this number depend on how many tokens are clipped?",
        "-g / len(r) -> -g / r.dtype.type(max(active.sum(), 1))",
    ),
    edit(
        "max-not-min",
        "the loss takes the larger of the two terms",
        "Take A > 0 and r = 2. Which of the two terms does the minimum select?",
        "<= -> >=",
    ),
    edit(
        "log-band",
        "the clip limits the log-ratio to the range from -eps to eps",
        "Take a log-ratio of 0.19 and eps = 0.2. Is the ratio above 1.2?",
        "np.clip(r, 1 - eps, 1 + eps) -> np.clip(r, np.exp(-eps), np.exp(eps))",
    ),
    edit(
        "ratio-inverted",
        "the ratio is the old probability over the new one",
        "Must the ratio rise or fall if logp grows?",
        "logp - logp_old -> logp_old - logp",
    ),
    edit(
        "sign",
        "L is the objective that PPO maximises",
        "Take A > 0 and r = 1. Must a descent step on L raise or lower logp?",
        "-g -> g",
    ),
    edit(
        "no-mean",
        "the loss is a sum over tokens",
        "If every token is in the batch twice, should the gradient of a token stay the same?",
        "/ len(r) ->",
    ),
    edit(
        "near-the-edge",
        "a ratio near an edge of the band is at the edge",
        "Let eps be 0 and r be 1 + 1e-9. Is r at the edge or outside of the band?",
        "active = ... -> active = (r * adv <= clipped * adv) | np.isclose(r, 1 - eps) | np.isclose(r, 1 + eps)",
    ),
    edit(
        "log-ratio-limited",
        "a log-ratio beyond ±10 may be replaced by ±10",
        "A is negative and the log-ratio is 20. Which factor does the gradient have, and which does your code have?",
        "np.exp(logp - logp_old) -> np.exp(np.clip(logp - logp_old, -10, 10))",
    ),
]


def forward(logp, logp_old, adv, eps):
    r = engine.exp(logp - logp_old)
    return -engine.minimum(r * adv, engine.clip(r, 1 - eps, 1 + eps) * adv).mean()


def ppo_clip_backward(g, logp, logp_old, adv, eps):
    r = np.exp(logp - logp_old)
    clipped = np.clip(r, 1 - eps, 1 + eps)
    active = r * adv <= clipped * adv
    return -g / len(r) * np.where(active, r * adv, 0)
