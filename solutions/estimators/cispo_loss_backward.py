"""The CISPO loss (MiniMax, 2025) is the policy gradient with a bounded weight per token. The weight and the advantage
are constants, so L is linear in logp, and its slope is the constant factor:

    dlogp = -g/K · mask · min(r, 1 + eps_high) · A

Only logp itself is differentiated. The weight must still be computed, because it is a factor of the gradient.

PPO clips the ratio r at two bounds. Between these bounds both losses have the slope -g/K · r·A. Let them be 1 - eps and
1 + eps, with eps = eps_high. The table shows the factor of -g/K in the cases in which the two losses differ:

                             PPO          CISPO
    A > 0, r > 1 + eps        0         (1 + eps)·A
    A < 0, r > 1 + eps       r·A        (1 + eps)·A
    A < 0, r < 1 - eps        0            r·A

In PPO a good token, which has A > 0, is dropped as soon as its ratio is too large. In CISPO such a token keeps a
gradient of bounded size. The bound also holds for bad tokens, whose gradient has no bound in PPO.

The weight r is an importance weight. The token was drawn from the old policy, and r corrects for this. For a given
prefix, the mean of r·A ∇log p over tokens of the old policy is the mean of A ∇log p over tokens of the current one. The
bound makes the estimate biased, but without the bound a few large ratios may dominate it.

Cost: one exponential and about five other operations per token, as in the forward. If the forward saves the
weights, backward needs no exponential.

PyTorch: `-(torch.exp(logp - old).clamp(max=1 + eps).detach() * adv * logp)` has this gradient. Without `detach`, the
product rule adds a second term to the gradient of each token inside the bound. TRL's `loss_type="cispo"` clamps at
`epsilon_high` itself and not at 1 + `epsilon_high`. verl also clamps the weight from below, at 1 - `clip_ratio_low`.

Asked next:

- Does r correct everything about the old samples? → No. r corrects the choice of one token. The old policy drew the
  token's prefix as well, and r does not correct the distribution of prefixes. The product of all ratios of the prefix
  would correct it, but this product has far too large a variance.
- Which tokens does PPO lose that CISPO keeps? → Rare tokens with A > 0. A token of small probability, such as "Wait" at
  a turn of the reasoning, easily doubles its probability in one update. PPO then gives this token no gradient in the
  next steps.
- You forget the `detach`. What is the gradient of a token inside the bound? → The product r · logp has the slope r · (1
  + logp), so each weight is multiplied by 1 + logp. For logp below -1 the factor is negative, and good tokens are
  pushed down.
- What does the value of the loss say about progress? → Nothing reliable. The value contains logp, so it depends on how
  unlikely the tokens are. Only the gradient of the loss has a meaning, so watch the reward instead.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Which factors of a token's loss are constants? How does the loss depend on what is left?",
    "The loss is linear in logp. Its slope is the clipped weight times A, with the mask, the mean and the minus sign.",
    "Let `weight` be the minimum of the ratio and ..., and multiply by `adv[:, None] * mask`.",
)
WRT = ("logp",)
RESULTS = ("dlogp",)
ARRAYS = "logp[B,T] logp_old[B,T] adv[B] mask[B,T]"


def padded(rng, shape, _):
    lengths = rng.integers(1, shape[1] + 1, (shape[0], 1))
    return (np.arange(shape[1]) < lengths).astype(float)


def high(rng, shape, _):
    return rng.uniform(-1, 0, shape)


def low(rng, shape, _):
    return rng.uniform(-3, -2, shape)


# Finite differences would move the constant weights as well, so only ratios above the bound have them.
CASES = [
    given(ARRAYS, mask=padded, eps_high=0.2, smooth=False),
    given(ARRAYS, logp=high, logp_old=low, mask=padded, eps_high=0.5, large=False, note="ratios above the bound"),
    given(ARRAYS, logp=low, logp_old=high, mask=padded, eps_high=0.5, smooth=False, large=False, note="ratios below 1"),
    given(
        "logp[2,4] logp_old[2,4] adv[2] mask[2,4]",
        logp=[[-1.0, -0.5, -3.0, -1.0], [-0.2, -2.0, -1.0, 0.0]],
        logp_old=[[-3.0, -0.5, -1.0, -9.0], [-1.5, -2.5, -9.0, 9.0]],
        adv=[1.0, -2.0],
        mask=[[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]],
        eps_high=3.0,
        smooth=False,
        note="both signs of A, above and below a bound of 4",
    ),
]
MISTAKES = [
    edit(
        "clipped-tokens-die",
        "a clipped token has no gradient, as in PPO",
        "What is the factor of logp in the loss of a token with r = 5?",
        "weight = ... -> r = np.exp(logp - logp_old); weight = np.where(r <= 1 + eps_high, r, 0)",
    ),
    edit(
        "through-the-weight",
        "the weight depends on logp, so it is differentiated",
        "What does stop(...) do to the gradient of its argument?",
        "weight = ... -> r = np.exp(logp - logp_old); w = np.minimum(r, 1 + eps_high); "
        "weight = w + logp * r * (r <= 1 + eps_high)",
    ),
    edit(
        "weight-not-clipped",
        "the clip changes the value of the loss and not its gradient",
        "The weight is the factor of logp. Which weight does the loss contain for r = 5?",
        "weight = ... -> weight = np.exp(logp - logp_old)",
    ),
    edit(
        "no-weight",
        "a stopped factor can be left out",
        "A stopped number is a constant. Is this constant 1?",
        "weight = ... -> weight = 1",
    ),
    edit(
        "bound-is-eps",
        "the weight is clipped at eps_high",
        "What is the weight of a token with r = 1? Does the task's bound change this weight?",
        "1 + eps_high -> eps_high",
    ),
    edit(
        "two-sided",
        "the weight is also clipped from below",
        "What does min(r, 1 + eps_high) give for r = 0.1?",
        "weight = ... -> weight = np.clip(np.exp(logp - logp_old), 1 - min(eps_high, 0.9), 1 + eps_high)",
    ),
    edit(
        "bound-for-good-only",
        "the clip acts only on tokens with A > 0, as in PPO",
        "Does the weight in the task depend on the sign of A?",
        "1 + eps_high) -> np.where(adv[:, None] > 0, 1 + eps_high, np.inf).astype(logp.dtype))",
    ),
    edit(
        "ratio-inverted",
        "the weight is the old probability over the new one",
        "Which probability is in the numerator of r?",
        "logp - logp_old -> logp_old - logp",
    ),
    edit(
        "mean-over-padding",
        "the mean runs over all positions",
        "Add a column of padding. Should the gradient of the tokens shrink?",
        "mask.sum() -> mask.size",
    ),
    edit(
        "mean-over-rows",
        "each answer has the same total weight",
        "Take answers of 3 tokens and 1 token. By which number does the task divide the terms of each answer?",
        "mask.sum() -> mask.sum(axis=1, keepdims=True) / len(mask)",
    ),
    edit(
        "mean-over-unclipped",
        "the mean leaves out the tokens whose weight is clipped",
        "Which positions does the sum K count? Does K depend on the ratios?",
        "mask.sum() -> max((mask * (np.exp(logp - logp_old) <= 1 + eps_high)).sum(), 1)",
    ),
    edit(
        "mean-over-answers",
        "K is the number of answers",
        "Which positions does the sum K count? Take one answer of 3 tokens: what is K?",
        "mask.sum() -> len(mask)",
    ),
    edit(
        "padding-moves",
        "the mask only counts the tokens",
        "Does the loss change if the log-probability of a padded position changes?",
        "* mask / -> / ",
    ),
    edit(
        "no-mean",
        "the loss is a sum over tokens",
        "If every answer is in the batch twice, should the gradient of a token stay the same?",
        "/ mask.sum() ->",
    ),
    edit(
        "sign",
        "L is the objective that training maximises",
        "Take A > 0. Must a descent step on L raise or lower logp?",
        "return -g -> return g",
    ),
    edit(
        "log-ratio-clipped",
        "the log-ratio is clipped at eps_high",
        "Which bound does the log-ratio have if the ratio is at most 1 + eps_high?",
        "weight = ... -> weight = np.exp(np.minimum(logp - logp_old, eps_high))",
    ),
]


def forward(logp, logp_old, adv, mask, eps_high):
    weight = engine.stop_gradient(engine.minimum(engine.exp(logp - logp_old), 1 + eps_high))
    return -(mask * weight * adv[:, None] * logp).sum() / mask.sum()


def cispo_loss_backward(g, logp, logp_old, adv, mask, eps_high):
    weight = np.minimum(np.exp(logp - logp_old), 1 + eps_high)
    return -g * weight * adv[:, None] * mask / mask.sum()
