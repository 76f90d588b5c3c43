"""All three estimators depend on logp only through d, and the derivative of d with respect to logp is 1. L is a mean,
so dlogp is g/N times

    k1:  1
    k2:  d
    k3:  1 - exp(-d)

At p = q, where d is 0, k2 and k3 have their minimum, and their slope is 0. k1 has the same slope 1 everywhere.

What does each gradient estimate? Average over samples of p, and write ∇ for the gradient in the policy's parameters.
The score has the mean Σ p ∇log p = ∇Σ p = 0. Therefore

    k1:  Σ p ∇log p              = 0
    k2:  Σ p d ∇log p            = ∇KL(p‖q)
    k3:  Σ p (1 - q/p) ∇log p    = -Σ q ∇log p = ∇KL(q‖p)

The mean value of k1 is exactly KL(p‖q), and yet k1 as a loss does nothing on average. Its backward ignores that the
samples themselves depend on p. k3 has the same mean value and descends on the other divergence, KL(q‖p). The value of
k2 is biased, but its gradient is an unbiased estimate of ∇KL(p‖q). Near p = q, the gradients of k2 and k3 agree to
first order.

Cost: at most one exponential and three other operations per sample, as in the forward. k2 and k3 need only d, and k1
needs only N.

PyTorch: Each estimator is one line, such as `(torch.exp(-d) - 1 + d).mean()`, and autograd finds these slopes. No
function of PyTorch estimates a divergence from log-probabilities of samples. `F.kl_div(input, target)` is an exact sum
over the classes of full distributions. In GRPO, TRL adds k3 to the loss. verl offers all three, and `"k3+"` has the
value of k3 with the gradient of k2.

Asked next:

- Which loss gives the gradient of KL(p‖q) from samples of p? → k2 does. Another way is to subtract k1 from the reward,
  as a constant. The policy gradient then multiplies the score by d, which gives the same expected gradient.
- Why is k3 popular as an estimate of the divergence itself? → k3 is never negative, its mean is KL(p‖q), and its
  variance is small if p is near q. For a softmax over 1000 tokens with noise of standard deviation 0.3 on the logits,
  KL is 0.045. The standard deviation of one sample's estimate is then 6.7 · KL for k1 and 1.4 · KL for k3.
- One sample has logq = -30 and logp = -10, and another has logq = -10 and logp = -30. What are the gradients of k2 and
  k3? → The first sample has d = 20, so the slope of k2 is 20 and the slope of k3 is nearly 1. The second sample has d =
  -20, so the slope of k2 is -20 and the slope of k3 is about -4.9e8. With k3, one sample that is far more likely under
  q dominates the batch. verl therefore clamps d to ±20 and k3 itself to at most 10. Such a sample then has no gradient
  at all.
- The samples came from an older policy μ. How do you keep the gradient of k2 unbiased? → Weight each sample by the
  constant p/μ, so that Σ μ · (p/μ) · d ∇log p is again the gradient of KL(p‖q).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    (
        "What is the derivative of d with respect to logp? What is the derivative of each of the three functions with "
        "respect to d?"
    ),
    "The derivatives with respect to d are 1, d and 1 - exp(-d). Divide by the number of samples and multiply by g.",
    'Choose the slope from a dict: `{"k1": ..., "k2": d, "k3": ...}[kind]`. For k1, it is an array of ones.',
)
WRT = ("logp",)
RESULTS = ("dlogp",)
CHOSEN = {"logp": [-2.0, -1.0, -3.0, -10.0, -30.0, -0.5], "logq": [-2.0, -2.0, -1.0, -30.0, -10.0, -0.4]}
CLOSE = {"logp": [-1.0] * 6, "logq": [-1.04, -0.96, -1.001, -0.999, -1 - 1e-5, 1e-5 - 1]}
CASES = [
    given("logp[N] logq[N]", kind="k1", large=False, note="k1"),
    given("logp[N] logq[N]", kind="k2", large=False, note="k2"),
    given("logp[N] logq[N]", kind="k3", note="k3"),
    given("logp[6] logq[6]", **CHOSEN, kind="k2", note="k2 with d up to ±20"),
    given("logp[6] logq[6]", **CHOSEN, kind="k3", note="k3 with d up to ±20"),
    given("logp[6] logq[6]", **CLOSE, kind="k3", note="k3 with small d"),
    given("logp[3] logq[3]", logp=-1.0, logq=-1.0, kind="k3", note="k3 at p = q"),
]
MISTAKES = [
    edit(
        "all-like-k1",
        "estimates of the same divergence have the same gradient",
        "Take p = q. Which of the three estimators have a minimum there, and what is their slope?",
        "slope = ... -> slope = np.ones_like(d)",
    ),
    edit(
        "k1-as-reward",
        "k1 in the loss acts like k1 in the reward",
        "The samples are constants here. What is the derivative of d with respect to logp?",
        "np.ones_like(d) -> d",
    ),
    edit(
        "samples-move",
        "the gradient of k1 contains a term for the distribution of the samples",
        (
            "Which arrays does the forward pass treat as constants? Is there a factor in the mean that depends on the "
            "distribution of the samples?"
        ),
        "np.ones_like(d) -> d + 1",
    ),
    edit(
        "square-without-half",
        "k2 is d²",
        "What factor does k2 have before d²?",
        '"k2": d -> "k2": 2 * d',
    ),
    edit(
        "k2-unsigned",
        "k2 pushes every sample in the same direction",
        "Take d < 0. Does d² grow or shrink if logp grows a little?",
        '"k2": d -> "k2": np.abs(d)',
    ),
    edit(
        "k3-sign",
        "k3 falls as logp rises",
        "k3 is never negative, and it is 0 at d = 0. What is its slope to the right of 0?",
        "1 - np.exp(-d) -> np.exp(-d) - 1",
    ),
    edit(
        "k3-inverted",
        "k3 contains the ratio p/q",
        "Is exp(-d) equal to p/q or to q/p?",
        "np.exp(-d) -> np.exp(d)",
    ),
    edit(
        "k3-one-term",
        "only the exponential in k3 has a slope",
        "k3 also contains d itself. What is the slope of that term?",
        "1 - np.exp(-d) -> -np.exp(-d)",
    ),
    edit(
        "k3-no-inner",
        "the slope of exp(-d) is exp(-d)",
        "What does the chain rule multiply by if the exponent is -d?",
        "1 - np.exp(-d) -> 1 + np.exp(-d)",
    ),
    edit(
        "weighted-by-p",
        "the mean over samples is weighted by their probability",
        "How many times does a likely sample occur among the N samples? Must it also get a larger weight?",
        "return g * -> return g * np.exp(logp) *",
    ),
    edit(
        "sign",
        "d falls as logp rises",
        "With which sign does logp enter d?",
        "return g -> return -g",
    ),
    edit(
        "no-mean",
        "the loss is a sum over samples",
        "If every sample is in the batch twice, should the gradient of a sample stay the same?",
        "/ len(d) ->",
    ),
    edit(
        "k3-clipped",
        "the exponent of k3 may be clipped",
        "What is the largest exponent that the task allows? Does its exponential overflow? Did the forward clip it?",
        "1 - np.exp(-d) -> 1 - np.exp(np.clip(-d, -10, 10))",
    ),
    edit(
        "score-term-for-all",
        "the gradient of each estimator contains its value times the gradient of logp",
        "The samples are constants here. Which factor of the mean depends on logp, apart from d?",
        'return g * slope -> value = {"k1": d, "k2": d * d / 2, "k3": np.exp(-d) - 1 + d}[kind]; '
        "return g * (slope + value)",
    ),
    edit(
        "zeros-are-padding",
        "a sample with d = 0 is padding",
        "Two samples have equal log-probabilities under p and q. Are they part of the N samples?",
        "/ len(d) -> / max(int(np.count_nonzero(d)), 1)",
    ),
    edit(
        "k3-like-k2",
        "k3 and k2 agree where p and q are close, so k3 has the slope d",
        "What is 1 - exp(-d) at d = 1?",
        "1 - np.exp(-d) -> d",
    ),
    edit(
        "k3-one-taylor-term",
        "1 - exp(-d) is d wherever |d| is small",
        "At d = 0.04, by how much do 1 - exp(-d) and d differ?",
        "1 - np.exp(-d) -> np.where(np.abs(d) < 0.05, d, 1 - np.exp(-d))",
    ),
    edit(
        "k3-two-taylor-terms",
        "1 - exp(-d) is d - d²/2 wherever |d| is small",
        "At d = 0.04, by how much do 1 - exp(-d) and d - d²/2 differ?",
        "1 - np.exp(-d) -> np.where(np.abs(d) < 0.05, d - d * d / 2, 1 - np.exp(-d))",
    ),
]


def forward(logp, logq, kind):
    d = logp - logq
    return {"k1": d, "k2": d * d / 2, "k3": engine.exp(-d) - 1 + d}[kind].mean()


def kl_estimators_backward(g, logp, logq, kind):
    d = logp - logq
    slope = {"k1": np.ones_like(d), "k2": d, "k3": 1 - np.exp(-d)}[kind]
    return g * slope / len(d)
