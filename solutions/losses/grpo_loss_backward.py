"""The GRPO loss (Shao et al., 2024) gives each token two terms and a weight. First find the slope of each term with
respect to logp.

The policy term is PPO's. Its slope is -r·A where r·A is at most the clipped term, clip(r)·A, and 0 elsewhere. Inside
the band these two terms are equal, so `<=` keeps the slope there. PPO uses one limit for both edges of the band. Having
two limits does not change the rule.

The penalty is the k3 estimate of the KL divergence from the reference. With d = logp_ref - logp, the slope of d with
respect to logp is -1, so the slope of exp(d) - 1 - d is

    -exp(d) + 1 = 1 - exp(d)

The slope is 0 at logp = logp_ref, where the penalty has its minimum. The slope is positive if the policy gives the
token a higher probability than the reference does. The clip does not affect the penalty.

The weight of a token is its share in the mean:

    "token"       mask / (number of tokens in the batch)
    "sequence"    mask / (number of tokens in the row) / B

With "sequence", a token of a long answer weighs less than one of a short answer. With "token", all tokens weigh the
same. Without tokens the divisor would be 0, so use a divisor of at least 1.

Together, dlogp = g · weight · (slope of the policy term + beta · (1 - exp(d))).

Cost: two exponentials and about fifteen other operations per token, as in the forward. Backward needs the two
log-ratios, the mask and one advantage per row. Sampling and the models' passes cost far more. With beta = 0 the
reference model is not needed at all.

PyTorch: TRL composes the loss from `torch.exp`, `torch.clamp` and `torch.min`, and autograd finds this gradient. TRL
calls "sequence" `loss_type="grpo"`. TRL's default `loss_type="dapo"` divides by the number of tokens of the whole
batch, over all processes and accumulated steps, and `"bnpo"` divides by the number of tokens of each local batch.
`"dr_grpo"` divides by B times the largest allowed length, so its divisor does not depend on the answers. verl calls
"token" `"token-mean"`. verl's mean over rows leaves out the rows without tokens, unless you pass the size of the global
batch. TRL counts these rows.

Asked next:

- Why does "sequence" favour short right answers and long wrong answers? → A token's weight contains 1/length. A right
  answer is pushed up more per token if it is short, and a wrong answer is pushed down less per token if it is long.
- Training uses beta = 0 and "sequence", and the advantages sum to 0. What is the loss in the first step? → Every ratio
  is 1, so the loss is the mean of -A, which is 0. The gradient is not 0. The value of this loss says nothing about
  progress.
- All answers to a prompt get the same reward. What do they teach? → An advantage is the reward minus the group's mean.
  Here each advantage is 0, so the policy term has no gradient. Only the penalty acts. DAPO therefore draws other
  prompts instead.
- The batch is split into micro-batches. By which number must each micro-batch divide? → With "token", each micro-batch
  must divide by the number of tokens of the whole batch. Averaging the means of micro-batches gives tokens of a short
  micro-batch more weight. With "sequence", you can average over micro-batches with equally many rows.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    (
        "A token's loss has two terms, and the mean gives the token a weight. What is the slope of each term with "
        "respect to logp?"
    ),
    (
        "The policy term has slope 0 if the clipped term is strictly smaller, and -r·A otherwise. The penalty has "
        "slope beta·(1 - exp(d)). Multiply the sum by g and by the token's weight."
    ),
    (
        "A token's weight is its mask over a divisor. For the mean over tokens, the divisor is the sum of the mask. "
        "For the mean over rows, it is the sum of the mask's row times a second number. Replace a sum of 0 by 1."
    ),
)
WRT = ("logp",)
RESULTS = ("dlogp",)
ARRAYS = "logp[B,T] logp_old[B,T] logp_ref[B,T] adv[B] mask[B,T]"


# On this grid no log-ratio is near an edge of the band, so rounding in float32 moves no ratio over an edge.
def grid(rng, shape, _):
    return rng.integers(-24, 1, shape) / 32


def padded(rng, shape, _):
    lengths = rng.integers(1, shape[1] + 1, (shape[0], 1))
    return (np.arange(shape[1]) < lengths).astype(float)


def drawn(**options):
    return given(ARRAYS, logp=grid, logp_old=grid, logp_ref=grid, **options)


def three_rows(**options):
    return given(
        "logp[3,4] logp_old[3,4] logp_ref[3,4] adv[3] mask[3,4]",
        logp=[[0.5, -0.5, 0.22, 0.0], [0.5, -0.5, -0.3, 0.22], [-0.3, 0.5, 0.5, 0.5]],
        logp_old=0.0,
        adv=[1.5, -0.7, 0.3],
        eps_low=0.2,
        eps_high=0.3,
        **options,
    )


MASK = [[1.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0]]
EMPTY_ROW = [[1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]]
CASES = [
    drawn(
        mask=padded,
        eps_low=0.2,
        eps_high=0.3,
        beta=0.1,
        reduce="token",
        large={"B": 40, "T": 25},
        note="mean over tokens",
    ),
    drawn(mask=padded, eps_low=0.5, eps_high=0.2, beta=0.5, reduce="sequence", large=False, note="mean over rows"),
    three_rows(mask=MASK, beta=0.0, reduce="token", note="no penalty"),
    three_rows(mask=MASK, beta=0.2, reduce="sequence", note="rows of 3, 4 and 1 tokens"),
    three_rows(mask=EMPTY_ROW, beta=0.2, reduce="sequence", note="a row without tokens"),
    three_rows(mask=0.0, beta=0.2, reduce="token", note="no tokens"),
    given(
        "logp[2,3] logp_old[2,3] logp_ref[2,3] adv[2] mask[2,3]",
        logp=[[-1.0, -1.0, -2.0], [-1.0, -1.0, -1.5]],
        logp_old=[[-1.0, -1.0, -1.0], [-1.0, -1.0, -2.0]],
        logp_ref=[[-1.0, -0.5, -2.0], [-1.0, -1.5, -1.0]],
        adv=[2.0, -1.5],
        mask=1.0,
        eps_low=0.0,
        eps_high=0.0,
        beta=0.5,
        reduce="token",
        smooth=False,
        note="first step, with ratios at both edges",
    ),
    given(
        "logp[2,2] logp_old[2,2] logp_ref[2,2] adv[2] mask[2,2]",
        logp=[[1e-9, -1e-9], [1e-9, -1e-9]],
        logp_old=[[0.0, 0.0], [0.0, 0.0]],
        logp_ref=[[0.5, 0.0], [-0.5, 0.25]],
        adv=[2.0, -1.5],
        mask=[[1.0, 1.0], [1.0, 1.0]],
        eps_low=0.0,
        eps_high=0.0,
        beta=0.5,
        reduce="token",
        smooth=False,
        note="ratios next to the edges",
    ),
    given(
        "logp[2,2] logp_old[2,2] logp_ref[2,2] adv[2] mask[2,2]",
        logp=[[-21.0, -1.0], [-1.0, -2.0]],
        logp_old=[[-20.5, -1.5], [-21.0, -13.0]],
        logp_ref=[[-1.0, -12.0], [-1.5, -21.0]],
        adv=[1.0, -2.0],
        mask=[[1.0, 1.0], [1.0, 1.0]],
        eps_low=0.2,
        eps_high=0.3,
        beta=0.5,
        reduce="token",
        note="differences of ±20",
    ),
]
MISTAKES = [
    edit(
        "tie-inactive",
        "the term with r must be strictly smaller to have a gradient",
        "At r = 1 both terms are equal. Should the very first step learn nothing?",
        "<= -> <",
    ),
    edit(
        "clip-kills-all",
        "the policy term has no gradient wherever the ratio is outside the band",
        "Take A < 0 and r = 2. Which of the two terms is smaller, and is it the clipped one?",
        "gain <= limit -> gain == limit",
    ),
    edit(
        "above-always-clipped",
        "a ratio above the band has no policy gradient, whatever the sign of A",
        "Take A < 0 and r = 2. Which of the two terms is smaller, and is it the clipped one?",
        "gain <= limit -> (gain <= limit) & (r <= 1 + eps_high)",
    ),
    edit(
        "below-always-clipped",
        "a ratio below the band has no policy gradient, whatever the sign of A",
        "Take A > 0 and r = 0.5. Which of the two terms is smaller, and is it the clipped one?",
        "gain <= limit -> (gain <= limit) & (r >= 1 - eps_low)",
    ),
    edit(
        "edge-is-clipped",
        "a ratio at the edge of the band is clipped",
        "Which slope does the task state for a ratio exactly at an edge?",
        "gain <= limit -> np.where(adv[:, None] > 0, r < 1 + eps_high, r > 1 - eps_low)",
    ),
    edit(
        "limits-exchanged",
        "eps_low belongs to the upper edge of the band",
        "Which of the two limits bounds a ratio above 1?",
        "1 - eps_low, 1 + eps_high -> 1 - eps_high, 1 + eps_low",
    ),
    edit(
        "other-mean",
        "the mean over tokens has the weights of the mean over rows, and vice versa",
        "Take a row of 3 tokens and a row of 1 token. What does one token of each row weigh in the two means?",
        'divisor[reduce] -> divisor["token" if reduce == "sequence" else "sequence"]',
    ),
    edit(
        "mean-over-padding",
        "padding counts in the mean",
        "Add a column of padding. Should the gradient of the tokens shrink?",
        "max(lengths.sum(), 1) -> mask.size",
        "np.maximum(lengths, 1) -> mask.shape[1]",
    ),
    edit(
        "padding-moves",
        "the mask is needed only to count the tokens",
        "Does the loss change if the log-probability of a padded position changes?",
        "g * mask / -> g / ",
    ),
    edit(
        "empty-row-left-out",
        "the mean over rows leaves out rows without tokens",
        "By which number does the task divide if one of three rows has no token?",
        "* len(mask) -> * max((lengths > 0).sum(), 1)",
    ),
    edit(
        "no-rows",
        "the loss adds up the means of the rows",
        "If every row is in the batch twice, should the gradient of a token stay the same?",
        "* len(mask) ->",
    ),
    edit(
        "divides-by-zero",
        "every row has a token",
        "Which number does your code divide by in a row without tokens?",
        "max(lengths.sum(), 1) -> lengths.sum()",
        "np.maximum(lengths, 1) -> lengths",
    ),
    edit(
        "kl-slope-1",
        "the penalty is logp - logp_ref, with slope 1",
        "At logp = logp_ref the penalty has its minimum. What is its slope there?",
        "beta * (1 - np.exp(logp_ref - logp)) -> beta",
    ),
    edit(
        "kl-sign",
        "d grows with logp",
        "Suppose logp is above logp_ref. Must a descent step on the penalty raise or lower logp?",
        "1 - np.exp(logp_ref - logp) -> np.exp(logp_ref - logp) - 1",
    ),
    edit(
        "kl-inverted",
        "the penalty contains exp(logp - logp_ref)",
        "How does the task define d? Which sign does logp have there?",
        "logp_ref - logp -> logp - logp_ref",
    ),
    edit(
        "kl-ignored",
        "the penalty is only reported and has no gradient",
        "Suppose A is 0 and beta is 0.1. Does L change with logp?",
        "slope += ... -> pass",
    ),
    edit(
        "kl-clipped",
        "a clipped token is not penalised",
        "Which of the two terms of l contains the clip?",
        "slope += beta * -> slope += (gain <= limit) * beta *",
    ),
    edit(
        "old-as-reference",
        "the penalty compares the policy with the one that drew the answers",
        "Which two of the three log-probabilities does d contain?",
        "logp_ref - logp -> logp_old - logp",
    ),
    edit(
        "no-ratio",
        "the slope of the ratio with respect to logp is 1",
        "r is an exponential of logp. What is the derivative of an exponential?",
        "-gain, 0 -> -adv[:, None], 0",
    ),
    edit(
        "sign",
        "L is the objective that GRPO maximises",
        "Take A > 0 and r = 1. Must a descent step on L raise or lower logp?",
        "-gain, 0 -> gain, 0",
    ),
    edit(
        "kl-linear-term-constant",
        "the term -d of the penalty has no slope",
        "d contains logp. What is the slope of -d with respect to logp, and where is it in your code?",
        "beta * (1 - np.exp(logp_ref - logp)) -> -beta * np.exp(logp_ref - logp)",
    ),
    edit(
        "kl-squared",
        "the penalty is the k2 estimate ½ d²",
        "Which function of d does the task state? What is the slope of exp(d) - 1 - d at d = 2?",
        "1 - np.exp(logp_ref - logp) -> logp - logp_ref",
    ),
    edit(
        "no-beta",
        "the penalty has the weight 1",
        "Which number multiplies the penalty in l? Where is it in your code?",
        "slope += beta * -> slope +=",
    ),
    edit(
        "kl-by-advantage",
        "the advantage multiplies the penalty too",
        "Suppose A is 0. Does l still change with logp?",
        "slope += beta * -> slope += adv[:, None] * beta *",
    ),
    edit(
        "near-the-edge",
        "a ratio near an edge of the band is at the edge",
        "Let eps_high be 0 and r be 1 + 1e-9. Is r at the edge or outside of the band?",
        "gain <= limit -> (gain <= limit) | np.isclose(r, 1 - eps_low) | np.isclose(r, 1 + eps_high)",
    ),
    edit(
        "log-ratio-limited",
        "a log-ratio beyond ±10 may be replaced by ±10",
        "A is negative and the log-ratio is 20. Which factor does the gradient have, and which does your code have?",
        "np.exp(logp - logp_old) -> np.exp(np.clip(logp - logp_old, -10, 10))",
    ),
    edit(
        "d-limited",
        "a log-ratio to the reference beyond ±10 may be replaced by ±10",
        "Let d be 20. What is exp(d), and what is exp(10)?",
        "1 - np.exp(logp_ref - logp) -> 1 - np.exp(np.clip(logp_ref - logp, -10, 10))",
    ),
]


def forward(logp, logp_old, logp_ref, adv, mask, eps_low, eps_high, beta, reduce):
    r, d = engine.exp(logp - logp_old), logp_ref - logp
    clipped = engine.clip(r, 1 - eps_low, 1 + eps_high)
    penalty = engine.exp(d) - 1 - d
    tokens = mask * (beta * penalty - engine.minimum(r * adv[:, None], clipped * adv[:, None]))
    if reduce == "token":
        return tokens.sum() / max(mask.sum(), 1)
    return (tokens.sum(axis=1) / np.maximum(mask.sum(axis=1), 1)).mean()


def grpo_loss_backward(g, logp, logp_old, logp_ref, adv, mask, eps_low, eps_high, beta, reduce):
    r = np.exp(logp - logp_old)
    gain = r * adv[:, None]
    limit = np.clip(r, 1 - eps_low, 1 + eps_high) * adv[:, None]
    slope = np.where(gain <= limit, -gain, 0)
    slope += beta * (1 - np.exp(logp_ref - logp))
    lengths = mask.sum(axis=1, keepdims=True)
    divisor = {
        "token": max(lengths.sum(), 1),
        "sequence": np.maximum(lengths, 1) * len(mask),
    }
    return g * mask / divisor[reduce] * slope
