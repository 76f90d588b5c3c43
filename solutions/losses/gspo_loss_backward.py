"""The GSPO loss (Zheng et al., 2025) is PPO's loss with one ratio per answer. Go backwards through three steps.

The minimum and the clip are those of PPO. The slope of an answer's term with respect to s is A if s·A is at most the
clipped term, clip(s)·A. Otherwise the slope is 0. With the mean over answers and the minus sign, ds = -g/B · A or 0.

The ratio s is an exponential, so its slope with respect to log s is s. The log of s is a mean over n tokens. The slope
of log s with respect to the logp of a token is 1/n, and at padding the slope is 0:

    dlogp = -g/B · A·s · mask/n    or 0 for a clipped answer

All tokens of an answer get the same gradient, whatever their own ratios are. Either the whole answer is clipped, or
none of it. In PPO and GRPO, each token has its own weight r and its own clip.

s is the geometric mean of the token ratios. With a sum instead of the mean, s would be the ratio of the answer's
probabilities under the two policies. That ratio grows or shrinks exponentially with the length.

Compute s from the mean of the log-ratios. A token ratio such as exp(1000) would overflow, even if s is moderate.

Cost: one exponential per answer, and three operations per token to sum the masked log-ratios. GRPO needs an exponential
per token. Backward needs s, the advantage and the length of each answer. Backward computes one number per row and
writes this number to all tokens of the row.

PyTorch: TRL computes this loss with `importance_sampling_level="sequence"` and `loss_type="grpo"`. Its code sums
`log_ratio * mask`, divides by the length and takes `torch.exp`, and autograd finds this gradient. verl detaches s and
multiplies it by exp(logp - logp.detach()), which has the value 1. verl then averages over the tokens of the answer, so
its gradient is the same.

Asked next:

- Why is eps in GSPO hundreds of times smaller than in PPO? → s averages the log-ratios of many tokens, so it stays
  close to 1. With 1000 independent log-ratios of standard deviation 0.1 around 0, log s has the standard deviation
  0.003. The paper clips at 3e-4 and 4e-4, whereas 0.2 is usual for PPO.
- Why does GSPO stabilise training of mixture-of-experts models? → After an update, the router may send a token to other
  experts, and the ratio of this token jumps. A token-level weight passes the jump into the gradient. In log s the jump
  is divided by the length.
- GRPO is trained with the mean over rows. How do its gradient and the gradient of GSPO differ in the first step? → The
  two gradients are equal. In the first step all ratios are 1, and both gradients are -g/B · A/n for each token. The two
  losses differ only if the ratios do.
- The tokens of one answer have different advantages, as with a reward per step. How can an answer still have only one
  ratio? → Use verl's form, in which s is detached. Each token then has its own term with the value s·A_t, and the
  gradient of this term goes only to the token's own logp.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, uniform

HINTS = (
    "There is one ratio per answer. Through which steps does one token's logp reach this ratio?",
    (
        "With respect to s, the minimum has the slope A or 0. The exponential contributes the factor s, and the mean "
        "contributes 1/n for each of the n tokens of the answer. Then multiply by -g/B."
    ),
    "Compute one number per row, with shape (B, 1), and multiply it by `mask / ...`.",
)
WRT = ("logp",)
RESULTS = ("dlogp",)
ARRAYS = "logp[B,T] logp_old[B,T] adv[B] mask[B,T]"


def padded(rng, shape, _):
    lengths = rng.integers(1, shape[1] + 1, (shape[0], 1))
    return (np.arange(shape[1]) < lengths).astype(float)


MASK = [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
CASES = [
    given(ARRAYS, mask=padded, logp=uniform(-2, 0), logp_old=uniform(-2, 0), eps=0.25, large=False),
    given(ARRAYS, mask=padded, logp=uniform(-2, 0), logp_old=uniform(-2, 0), eps=0.95, note="a wide band"),
    given(
        "logp[4,3] logp_old[4,3] adv[4] mask[4,3]",
        logp=[[1.0, 0.5, 0.0], [-1.0, 9.0, 9.0], [0.5, 0.1, 9.0], [-0.5, -1.0, 0.0]],
        logp_old=0.0,
        adv=[1.0, 2.0, -1.5, -0.5],
        mask=MASK,
        eps=0.1,
        note="both signs of A, on both sides of the band",
    ),
    given(
        "logp[2,3] logp_old[2,3] adv[2] mask[2,3]",
        logp=[[-1.0, -1003.0, -1.0], [-2.0, -1.0, -1000.0]],
        logp_old=[[-1001.0, -2.0, -1.5], [-2.0, -1.0, -1.0]],
        adv=[1.0, -2.0],
        mask=[[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]],
        eps=0.3,
        smooth=False,
        note="log-ratios of ±1000",
    ),
    given(
        "logp[3,2] logp_old[3,2] adv[3] mask[3,2]",
        logp=[[-1.0, -2.0], [-0.5, -1.0], [-1.0, -1.0]],
        logp_old=[[-1.0, -2.0], [-1.0, -0.5], [-2.0, -2.0]],
        adv=[1.5, -0.5, -1.0],
        mask=1.0,
        eps=0.0,
        smooth=False,
        note="ratios at the edge, with eps=0",
    ),
    given(
        "logp[4,1] logp_old[4,1] adv[4] mask[4,1]",
        logp=[[1e-9], [1e-9], [-1e-9], [-1e-9]],
        logp_old=[[0.0], [0.0], [0.0], [0.0]],
        adv=[1.0, -2.0, 1.5, -0.5],
        mask=[[1.0], [1.0], [1.0], [1.0]],
        eps=0.0,
        smooth=False,
        note="ratios next to the edge",
    ),
    given(
        "logp[2,2] logp_old[2,2] adv[2] mask[2,2]",
        logp=[[-1.0, -2.0], [-1.0, -3.0]],
        logp_old=[[-20.0, -21.0], [-13.0, -14.0]],
        adv=[-1.0, -2.0],
        mask=[[1.0, 1.0], [1.0, 1.0]],
        eps=0.3,
        note="log s of 19 and 11.5",
    ),
]
MISTAKES = [
    edit(
        "token-ratio",
        "a token is weighted by its own ratio",
        "Which number did the forward clip: one per token or one per answer?",
        "* s)[:, None] * mask -> )[:, None] * np.exp(np.minimum(logp - logp_old, 50)) * mask",
    ),
    edit(
        "product-ratio",
        "s is the ratio of the answer's probabilities under the two policies",
        "Does the task average the log-ratios of an answer, or add them up?",
        "s = ... -> s = np.exp(((logp - logp_old) * mask).sum(axis=1))",
    ),
    edit(
        "mean-of-ratios",
        "s is the mean of the token ratios",
        "Does the task take the mean before or after the exponential?",
        "s = ... -> s = (np.exp(np.minimum(logp - logp_old, 50)) * mask).sum(axis=1) / n",
    ),
    edit(
        "no-length",
        "the slope of log s with respect to each logp is 1",
        "log s is a mean over n tokens. What is the slope of a mean with respect to one of its terms?",
        "mask / n[:, None] -> mask",
    ),
    edit(
        "mean-over-padding",
        "the mean runs over all T positions",
        "Add a column of padding. Should s change?",
        "mask.sum(axis=1) -> mask.shape[1] * np.ones_like(adv)",
    ),
    edit(
        "padding-moves",
        "padding has the same gradient as a token",
        "Does the loss change if the log-probability of a padded position changes?",
        "mask / n[:, None] -> np.ones_like(mask) / n[:, None]",
    ),
    edit(
        "padding-in-ratio",
        "the log-ratios at padding are 0",
        "The numbers at padding are arbitrary. Which of them enter your s?",
        "(logp - logp_old) * mask -> logp - logp_old",
    ),
    edit(
        "no-ratio",
        "the slope of s with respect to log s is 1",
        "s is an exponential. What is the derivative of an exponential?",
        "* s)[ -> )[",
    ),
    edit(
        "clip-kills-all",
        "the gradient is 0 wherever s is outside the band",
        "Take A < 0 and s = 2. Which of the two terms is smaller, and is it the clipped one?",
        "active = ... -> active = s == clipped",
    ),
    edit(
        "upper-edge-only",
        "only a ratio above the band is clipped, whatever the sign of A",
        "Take A < 0. On which side of the band is the clipped term the smaller one?",
        "active = ... -> active = s <= 1 + eps",
    ),
    edit(
        "tie-inactive",
        "the term with s must be strictly smaller to have a gradient",
        "Inside the band the two terms are equal. Should an answer with s = 1 teach nothing?",
        "<= -> <",
    ),
    edit(
        "edge-is-clipped",
        "a ratio at the edge of the band is clipped",
        "Which slope does the task state for a ratio of exactly 1 + eps?",
        "active = ... -> active = np.where(adv > 0, s < 1 + eps, s > 1 - eps)",
    ),
    edit(
        "mean-over-tokens",
        "the loss is a mean over all tokens of the batch",
        "The loss has one term per answer. By which number does it divide?",
        "len(s) -> n.sum()",
    ),
    edit(
        "no-mean",
        "the loss is a sum over answers",
        "If every answer is in the batch twice, should the gradient of an answer stay the same?",
        "/ len(s) ->",
    ),
    edit(
        "sign",
        "L is the objective that GSPO maximises",
        "Take A > 0 and s = 1. Must a descent step on L raise or lower logp?",
        "-g -> g",
    ),
    edit(
        "weighted-by-length",
        "an answer weighs as much as it has tokens",
        "A batch has an answer of 100 tokens and one of 10. Which weight does each answer have in the task's mean?",
        "len(s) -> n.sum()",
        "mask / n[:, None] -> mask",
    ),
    edit(
        "mean-over-positions",
        "the loss is a mean over all B·T positions",
        "Add a column of padding. Should the gradient of a token change?",
        "len(s) -> mask.size",
        "mask / n[:, None] -> mask",
    ),
    edit(
        "longest-answer-for-all",
        "every answer is as long as the longest one",
        "The mask of a short answer has few ones. By which number must its sum of log-ratios be divided?",
        "n = mask.sum(axis=1) -> n = np.full_like(adv, mask.sum(axis=1).max())",
    ),
    edit(
        "roots-of-ratios",
        "s can be computed from the n-th roots of the token ratios",
        "One log-ratio is 1000 and another is -1000. What are the two ratios, and what is their product?",
        "s = ... -> s = (np.exp((logp - logp_old) * mask) ** (1 / n)[:, None]).prod(axis=1)",
    ),
    edit(
        "product-of-ratios",
        "s can be computed from the product of the token ratios",
        "One log-ratio is 1000 and another is -1000. What are the two ratios, and what is their product?",
        "s = ... -> s = np.exp((logp - logp_old) * mask).prod(axis=1) ** (1 / n)",
    ),
    edit(
        "log-ratios-clipped",
        "a log-ratio may be limited before the mean",
        "The log-ratios are 1000 and -1001. What is their mean, and what is the mean after your limit?",
        "((logp - logp_old) * mask) -> (np.clip(logp - logp_old, -20, 20) * mask)",
    ),
    edit(
        "larger-term",
        "the loss takes the larger of the two terms",
        "Take A > 0 and s = 2. Which of the two terms enters the loss?",
        "<= -> >=",
    ),
    edit(
        "near-the-edge",
        "a ratio near an edge of the band is at the edge",
        "Let eps be 0 and s be 1 + 1e-9. Is s at the edge or outside of the band?",
        "active = ... -> active = (s * adv <= clipped * adv) | np.isclose(s, 1 - eps) | np.isclose(s, 1 + eps)",
    ),
    edit(
        "log-ratio-limited",
        "a log s beyond ±10 may be replaced by ±10",
        "A is negative and log s is 19. Which factor does the gradient have, and which does your code have?",
        "s = ... -> s = np.exp(np.clip(((logp - logp_old) * mask).sum(axis=1) / n, -10, 10))",
    ),
]


def forward(logp, logp_old, adv, mask, eps):
    s = engine.exp(((logp - logp_old) * mask).sum(axis=1) / mask.sum(axis=1))
    return -engine.minimum(s * adv, engine.clip(s, 1 - eps, 1 + eps) * adv).mean()


def gspo_loss_backward(g, logp, logp_old, adv, mask, eps):
    n = mask.sum(axis=1)
    s = np.exp(((logp - logp_old) * mask).sum(axis=1) / n)
    clipped = np.clip(s, 1 - eps, 1 + eps)
    active = s * adv <= clipped * adv
    slope = -g / len(s) * np.where(active, adv, 0)
    return (slope * s)[:, None] * mask / n[:, None]
