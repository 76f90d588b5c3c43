"""log π(a) = logits_a - logsumexp(logits), so its gradient is onehot(a) - π. Hence

    dlogits[n] = g (π(·|n) - onehot(a_n)) (returns[n] - baseline) / N

Why an estimate at all: the expected return Σ_a π(a) R(a) depends on the logits through what is drawn, and a draw has no
derivative. But ∇π = π ∇log π, so the gradient of the expectation is again an expectation, of R ∇log π: it can be
averaged over draws although R is a black box.

A baseline changes no expectation, since Σ_a π(a) ∇log π(a) = ∇ Σ_a π(a) = 0, as long as it does not depend on the
action. It changes the variance: with returns near 100 and no baseline, every action that is tried is pushed up hard,
and only the differences of these pushes carry news. Returns and baseline are constants; frameworks say so by `detach`.

Cost: That of softmax cross-entropy with a weight for each row, which is what it is: O(N A). Kept are the logits or the
probabilities, the actions and N weights; whatever earned the returns is not called again.

PyTorch: With `adv = returns - baseline`, both `-(adv * Categorical(logits=logits).log_prob(actions)).mean()` and
`(adv * cross_entropy(logits, actions, reduction="none")).mean()` have this gradient; the second keeps the
log-probabilities and the actions. `Categorical` has no `rsample`, and what it draws carries no graph. Taking the
logarithm of a softmax instead gives -inf once a probability underflows, as for logits of 900 and 0 in float32.

Asked next:

- The baseline comes from a value network, and you forget to detach it. What does this loss do to it? → ∂L/∂b_n =
  log π(a_n) / N, which is never positive: descent pushes the baselines up, hardest where the action was unlikely, and
  whatever the return was.
- You take the mean return of the batch as baseline. Is that unbiased? → No, as it contains the action's own return.
  With independent draws the expectation shrinks by the factor 1 - 1/N, which for N = 1 leaves nothing. The mean of the
  *other* returns is unbiased.
- How do you test an estimator without drawing? → With few actions the expectation is a finite sum. Call it with each
  action in turn, weigh the answers with π(a), and compare with the gradient of -Σ_a π(a) R(a).
- PPO maximises r · advantage with r = π / π_old, clipped. What is its gradient at the first step? → There r = 1, which
  the clip leaves alone, and ∇r = r ∇log π = ∇log π: it is this one. They part when the policy has moved.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "The actions and returns are constants: differentiate the logarithm of one entry of a softmax.",
    "The gradient of log π(a) is the one-hot of a less the probabilities, the same as in cross-entropy.",
    "Start from the softmax of each row, take 1 off at the chosen action, and weigh each row by its advantage over N.",
)
WRT = ("logits",)
CASES = [
    given("logits[n,k] rewards[n,k]", rewards=normal(mean=5), baseline=5.0, draws=120, empty=False),
    given("logits[n,k] rewards[n,k]", rewards=normal(mean=-3), baseline=-2.5, draws=120, empty=False, note="losses"),
    given(
        "logits[n,k] rewards[n,k]",
        rewards=2.0,
        baseline=2.0,
        draws=3,
        note="no advantage",
        empty=False,
        large={"n": 1000, "k": 20},
    ),
    given("logits[1,k] rewards[1,k]", rewards=normal(mean=4), baseline=4.0, draws=120, note="one state", empty=False),
    given(
        "logits[2,3] rewards[2,3]",
        logits=[[900.0, 899.0, 898.0], [0.0, 1.0, -800.0]],
        rewards=[[1.0, 2.0, 3.0], [2.0, 0.0, 1.0]],
        baseline=1.5,
        draws=120,
        smooth=False,
        note="large logits",
    ),
    # Of two actions as likely as each other, with opposite advantages, either gives the same estimate.
    given(
        "logits[2,2] rewards[2,2]",
        logits=[[1.0, 1.0], [0.0, 0.0]],
        rewards=[[25.0, -15.0], [-15.0, 25.0]],
        baseline=5.0,
        draws=3,
        note="large returns",
    ),
]
EQUIVALENT = {
    "constant: logits.max(axis=1, keepdims=True) -> logits.max(axis=-1, keepdims=True)": "of two axes 1 is the last",
    "constant: e.sum(axis=1, keepdims=True) -> e.sum(axis=-1, keepdims=True)": "of two axes 1 is the last",
    "operand: len(actions) -> ...": "there is one action and one return a row",
}


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# What is estimated: minus the mean expected return. A baseline changes nothing, but where it equals every reward the
# gradient is exactly 0 with it, and rounding without.
def forward(logits, rewards, baseline):
    return -(engine.softmax(logits, axis=1) * (rewards - baseline)).sum(axis=1).mean()


def sample(rng, logits, rewards, baseline):
    chances = np.cumsum(softmax(logits.astype(float)), axis=1)
    actions = (rng.uniform(size=(len(logits), 1)) > chances).sum(axis=1).clip(max=logits.shape[1] - 1)
    return {"actions": actions, "returns": rewards[np.arange(len(logits)), actions]}


def deviation(g, logits, rewards, baseline):
    p = softmax(logits)
    scores = p[:, None, :] - np.eye(logits.shape[1])  # of each row's action a, for each logit
    estimates = g * scores * (rewards - baseline)[..., None] / len(logits)
    mean = (p[..., None] * estimates).sum(axis=1, keepdims=True)
    return np.sqrt((p[..., None] * (estimates - mean) ** 2).sum(axis=1))


def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "sign",
    "the loss is the expected return",
    "A descent step on L must make a good action likelier. Which way does yours move its logit?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return -g * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "no-baseline",
    "a baseline makes no difference, as the mean stays the same",
    "The mean stays, yes. What do returns of 100, 101 and 102 do to the scatter?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * returns[:, None] / len(actions)


@mistake(
    "prob-not-logprob",
    "what is differentiated is π, not its logarithm",
    "Actions are drawn with probability π already: which factor would be in there twice?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    p = softmax(logits)
    chosen = p[np.arange(len(actions)), actions][:, None]
    score = p.copy()
    score[np.arange(len(actions)), actions] -= 1
    return g * chosen * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "only-chosen",
    "only the logit of the chosen action moves",
    "log π(a) has a normaliser: in which logits does that stand?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = np.zeros_like(logits)
    score[np.arange(len(actions)), actions] = -1
    return g * score * (returns - baseline)[:, None] / len(actions)


@mistake("sum-not-mean", "the loss is a sum over states", "What stands before the Σ in the task?")
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - baseline)[:, None]


@mistake(
    "baseline-added",
    "the baseline is added to the return",
    "An action that returns as much as expected: should it become likelier?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns + baseline)[:, None] / len(actions)


@mistake(
    "no-return",
    "every action that was drawn becomes likelier",
    "A good action and a bad one: where does your gradient tell them apart?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score / len(actions)


@mistake(
    "mean-over-actions-too",
    "the mean runs over all logits",
    "Add an action that is never taken: should every gradient become smaller?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - baseline)[:, None] / logits.size


@mistake(
    "standardised",
    "advantages are standardised within the batch",
    "With one state in the batch, what is left of its return? Which baseline does the task give?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    advantage = (returns - returns.mean()) / (returns.std() + 1e-8)
    return (g * score * advantage[:, None] / len(actions)).astype(logits.dtype)
