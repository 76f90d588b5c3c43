"""The loss is linear in logp, so its slope is the constant factor: -g/(B·K) times the advantage R - baseline. The only
work is to compute the baseline. The sum of the other rewards is the sum of all rewards of the prompt minus the answer's
own reward:

    baseline_bk = (Σ_j R_bj - R_bk) / (K - 1)

With the mean m_b of all K rewards, the advantage is also K/(K - 1) · (R_bk - m_b). So the advantages of a prompt sum to
0, and adding a constant to the rewards of a prompt changes nothing. If all answers to a prompt have the same reward,
this prompt teaches nothing.

The answers are drawn independently, so an answer does not affect its own baseline. Such a baseline leaves the expected
gradient unchanged and lowers the variance, as for REINFORCE. No value network is needed. (Kool et al., 2019; Ahmadian
et al., 2024.)

Cost: one sum per prompt and a few operations per answer. The expensive part is drawing K answers to each prompt and
computing `logp`. The forward saves the advantages for backward, but not logp.

PyTorch: `-((reward - (reward.sum(1, keepdim=True) - reward) / (K - 1)) * logp).mean()` has this gradient.
`MulBackward0` saves the advantages only, because the rewards need no gradient. TRL's `RLOOTrainer` computes this
baseline, and its loss multiplies the advantage by a clipped ratio, as in PPO. verl uses the form with K/(K - 1). If a
prompt has a single answer, its advantage is its reward in verl's estimator `rloo`, and 0 in `rloo_vectorized`.

Asked next:

- What changes if the baseline is the mean of all K rewards? → Each advantage is multiplied by (K - 1)/K, because the
  answer's own reward is in the mean. The expected gradient is too small by this factor, in the same direction. The
  learning rate can make up for it.
- What does GRPO change by dividing by the group's standard deviation? → The division changes the weights of the
  prompts. With rewards of 0 and 1 and a success rate q, the typical advantage is of size √(q(1-q)) before the division
  and 1 after it. So prompts that are nearly always or nearly never solved gain weight.
- Every possible answer to a prompt has the reward 1. What do RLOO and REINFORCE without a baseline do? → RLOO does
  nothing. REINFORCE makes all drawn answers more likely, although none is better than the others. On average over draws
  this gradient is 0, so it is only noise.
- logp is the sum over the tokens of an answer. What is the gradient of each token? → Each token's log-probability gets
  the gradient of its answer, so all tokens of an answer share one advantage.
"""

from autodrill.drills import edit, given

HINTS = (
    "The loss is linear in logp. Which number multiplies logp_bk?",
    (
        "The slope is minus the advantage over B·K. To average the other rewards, subtract the answer's own reward "
        "from the row's sum."
    ),
    "Divide `reward.sum(axis=1, keepdims=True) - reward` by ... to get the baseline.",
)
WRT = ("logp",)
RESULTS = ("dlogp",)
CASES = [
    given("logp[B,K>=2] reward[B,K>=2]", large={"B": 5, "K": 6000}),
    given("logp[B,2] reward[B,2]", large=False, note="two answers per prompt"),
    given(
        "logp[3,4] reward[3,4]",
        reward=[[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 5.0, 0.0]],
        note="an easy and a hard prompt, and one with equal rewards",
    ),
    given("logp[1,3] reward[1,3]", reward=[[10.0, 11.0, 15.0]], note="one prompt"),
]
MISTAKES = [
    edit(
        "own-reward-in-baseline",
        "the baseline is the mean of all K rewards",
        "Does your baseline depend on the reward from which it is subtracted?",
        "baseline = ... -> baseline = total / K",
    ),
    edit(
        "divides-by-K",
        "the mean of the other rewards divides by K",
        "How many other answers does a prompt have?",
        "(K - 1) -> K",
    ),
    edit(
        "batch-baseline",
        "one baseline serves the whole batch",
        "Take a hard and an easy prompt. Whose answers does a common baseline call good?",
        "baseline = ... -> baseline = (reward.sum() - reward) / reward.dtype.type(max(reward.size - 1, 1))",
    ),
    edit(
        "mean-over-prompts",
        "the baseline averages over the prompts",
        "Along which axis of `reward` do the answers to one prompt vary?",
        "baseline = ... -> baseline = reward.mean(axis=0)",
    ),
    edit(
        "no-baseline",
        "a baseline only changes the variance, so it can be left out",
        "On average over draws that is true. Which gradient does the loss of this batch have?",
        "reward - baseline -> reward",
    ),
    edit(
        "baseline-added",
        "the baseline is added to the reward",
        "Suppose all rewards of a prompt are equal. What must the advantages be?",
        "reward - baseline -> reward + baseline",
    ),
    edit(
        "divides-by-std",
        "advantages are divided by the standard deviation, as in GRPO",
        "By what does your gradient divide, and by what does the task's formula for L divide?",
        "reward - baseline -> (reward - baseline) / (reward.std(axis=1, keepdims=True) + 1e-6)",
    ),
    edit(
        "keeps-logp",
        "the gradient contains logp itself",
        "If a is a constant, what is the derivative of a · x with respect to x?",
        "return -g * -> return -g * logp *",
    ),
    edit(
        "ascent",
        "L is the expected reward",
        "A descent step must make a good answer more likely. Which sign must dlogp have for this answer?",
        "return -g -> return g",
    ),
    edit(
        "no-mean",
        "the loss is a sum over answers",
        "Which factor does the task's formula for L have before the sums?",
        "/ reward.size ->",
    ),
    edit(
        "one-mean",
        "the loss is a mean over prompts and a sum over answers",
        "By which numbers does the task divide the double sum?",
        "reward.size -> len(reward)",
    ),
]


def forward(logp, reward):
    others = reward.sum(axis=1, keepdims=True) - reward
    return -((reward - others / (reward.shape[1] - 1)) * logp).mean()


def rloo_backward(g, logp, reward):
    K = reward.shape[1]
    total = reward.sum(axis=1, keepdims=True)
    baseline = (total - reward) / (K - 1)
    return -g * (reward - baseline) / reward.size
