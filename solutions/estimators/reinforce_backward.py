"""REINFORCE needs the score, which is the gradient of log π(a). Since log π(a) = logits_a - logsumexp(logits), the
score is onehot(a) - π. Hence

    dlogits[n] = g (π(·|n) - onehot(a_n)) (returns[n] - baseline) / N

Let R(a) be the return of action a. The observed R depends on the logits only through a random draw of a. A draw has no
derivative, so the gradient of the expected return Σ_a π(a) R(a) must be estimated. Since ∇π = π ∇log π, this gradient
is again an expectation, the mean of R ∇log π over draws from π. An average over a few draws estimates this gradient,
even if R is a black box.

A baseline that does not depend on the action leaves the expectation unchanged, because Σ_a π(a) ∇log π(a) = ∇ Σ_a π(a)
= 0. The baseline does change the variance of the estimate. With returns near 100 and no baseline, every tried action is
pushed up strongly, and only the differences between these pushes carry information. Returns and baseline are constants;
frameworks express this with `detach`.

Cost: O(N A). The loss is softmax cross-entropy with one weight per row, and the weights do not change this cost. The
forward saves the actions, N weights, and either the logits or the probabilities. Backward does not call the environment
again.

PyTorch: With `adv = returns - baseline`, two expressions have this gradient: `-(adv *
Categorical(logits=logits).log_prob(actions)).mean()` and `(adv * cross_entropy(logits, actions,
reduction="none")).mean()`. The second expression saves the log-probabilities and the actions. `Categorical` has no
`rsample`, and its draws are not part of the graph. Computing log(softmax(logits)) instead gives -inf if a probability
underflows, as for logits of 900 and 0 in float32.

Asked next:

- The baseline comes from a value network, and you forget to detach it. How does the REINFORCE loss move the baseline?
  → For the baseline b_n of state n, ∂L/∂b_n = log π(a_n) / N, which is never positive. Descent therefore raises every
  baseline, whatever the return was. The baselines of unlikely actions rise most.
- You use the mean return of the batch as the baseline. Is the estimate unbiased? → No, because this mean contains the
  action's own return. With independent draws, the expected estimate is the true gradient times 1 - 1/N, which is 0 for
  N = 1. With the mean of the *other* returns as baseline, the estimate is unbiased.
- How do you test an estimator without random draws? → With few actions the expectation is a finite sum. Call the
  estimator with each action in turn, weight each result by π(a), and compare the sum with the gradient of -Σ_a π(a)
  R(a).
- PPO maximises r · advantage, with a clipped ratio r = π / π_old. What is PPO's gradient at the first step? → At the
  first step r = 1, so the clip has no effect, and ∇r = r ∇log π = ∇log π. PPO's gradient is therefore the REINFORCE
  gradient. The two gradients differ once the policy has moved.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "The actions and returns are constants. Differentiate the logarithm of one entry of a softmax.",
    "The gradient of log π(a) is the one-hot vector of the action minus the probabilities, as in cross-entropy.",
    (
        "Start from the softmax of each row, subtract 1 at the chosen action, and multiply each row by its advantage "
        "divided by N."
    ),
)
WRT = ("logits",)


def even(rng, shape, _):
    return np.repeat(rng.normal(size=shape[0]), 2).reshape(shape)


# All returns have magnitudes from 16 to 32, and are halfway between two float16 numbers. Rounding to float16 makes
# every second advantage smaller and the others larger, so that an error of `g` cannot cancel all of these errors.
def opposite(rng, shape, _):
    halves = 2 * rng.integers(21 * 32, 27 * 32, shape[0]) + np.arange(shape[0]) % 2 + 0.5
    advantage = halves / 64 * rng.choice([-1, 1], shape[0])
    return 5 + advantage[:, None] * [1, -1]


CASES = [
    given("logits[n,k] rewards[n,k]", rewards=normal(mean=5), baseline=5.0, draws=120),
    given(
        "logits[n,k] rewards[n,k]",
        rewards=normal(mean=-3),
        baseline=-2.5,
        draws=120,
        note="negative returns",
    ),
    given(
        "logits[n,k] rewards[n,k]",
        rewards=2.0,
        baseline=2.0,
        draws=3,
        note="no advantage",
        large={"n": 1000, "k": 20},
    ),
    given("logits[1,k] rewards[1,k]", rewards=normal(mean=4), baseline=4.0, draws=120, note="one state"),
    given(
        "logits[2,3] rewards[2,3]",
        logits=[[900.0, 899.0, 898.0], [0.0, 1.0, -800.0]],
        rewards=[[1.0, 2.0, 3.0], [2.0, 0.0, 1.0]],
        baseline=1.5,
        draws=120,
        smooth=False,
        note="large logits",
    ),
    # With two equally likely actions of opposite advantage, either draw gives the same estimate. One row alone may be
    # near a float16 number by chance.
    given(
        "logits[6,2] rewards[6,2]",
        logits=even,
        rewards=opposite,
        baseline=5.0,
        draws=3,
        note="large returns",
    ),
]


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# The estimator estimates the gradient of minus the mean expected return. A baseline does not change this gradient. But
# if the baseline equals every reward, the computed gradient is exactly 0 with the baseline and rounding error without
# it.
def forward(logits, rewards, baseline):
    return -(engine.softmax(logits, axis=1) * (rewards - baseline)).sum(axis=1).mean()


def sample(rng, logits, rewards, baseline):
    chances = np.cumsum(softmax(logits.astype(float)), axis=1)
    actions = (rng.uniform(size=(len(logits), 1)) > chances).sum(axis=1).clip(max=logits.shape[1] - 1)
    return {"actions": actions, "returns": rewards[np.arange(len(logits)), actions]}


def deviation(g, logits, rewards, baseline):
    p = softmax(logits)
    scores = p[:, None, :] - np.eye(logits.shape[1])  # axes: row, action a, logit
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
    (
        "A descent step on L must make a good action more likely. Which way does your gradient move the logit of that "
        "action?"
    ),
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return -g * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "no-baseline",
    "a baseline makes no difference because it does not change the mean of the estimate",
    "The mean of the estimate does stay the same. How do returns of 100, 101 and 102 affect its variance?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * returns[:, None] / len(actions)


@mistake(
    "prob-not-logprob",
    "the loss contains π, not log π",
    "Actions are already drawn with probability π. Which factor does your code apply a second time?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    p = softmax(logits)
    chosen = p[np.arange(len(actions)), actions][:, None]
    score = p.copy()
    score[np.arange(len(actions)), actions] -= 1
    return g * chosen * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "only-chosen",
    "log π(a) depends only on the logit of a",
    "log π(a) has a normaliser. Which logits does the normaliser contain?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = np.zeros_like(logits)
    score[np.arange(len(actions)), actions] = -1
    return g * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "sum-not-mean", "the loss is a sum over states", "Which factor does the task's formula for L have before the Σ?"
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - baseline)[:, None]


@mistake(
    "baseline-added",
    "the baseline is added to the return",
    "Suppose an action's return equals the baseline. Should the action become more likely?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns + baseline)[:, None] / len(actions)


@mistake(
    "no-return",
    "every drawn action becomes more likely",
    "Compare a good and a bad action. Which factor of your gradient differs between the two?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score / len(actions)


@mistake(
    "mean-over-actions-too",
    "the mean runs over all logits",
    "Add an action that is never taken. Should every gradient become smaller?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - baseline)[:, None] / logits.size


@mistake(
    "standardised",
    "advantages are standardised within the batch",
    "Suppose the batch has one state. What is the standardised return of that state? Which baseline does the task use?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    advantage = (returns - returns.mean()) / (returns.std() + 1e-8)
    return (g * score * advantage[:, None] / len(actions)).astype(logits.dtype)


@mistake(
    "only-chosen-logit",
    "the logits of the other actions have no gradient",
    "log π(a) has a normaliser. Which logits does the normaliser contain?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score, rows = np.zeros_like(logits), np.arange(len(actions))
    score[rows, actions] = softmax(logits)[rows, actions] - 1
    return g * score * (returns - baseline)[:, None] / len(actions)


@mistake(
    "only-good-actions",
    "an action that is worse than the baseline teaches nothing",
    "An action's return is below the baseline. Which way must its probability move?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * np.maximum(returns - baseline, 0)[:, None] / len(actions)


@mistake(
    "mean-return-as-baseline",
    "the baseline is the mean return of the batch",
    "Which argument does your function never use? What is the advantage in a batch of one state?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[np.arange(len(actions)), actions] -= 1
    return g * score * (returns - returns.mean())[:, None] / len(actions)


@mistake(
    "no-one-hot",
    "the gradient of log π is the vector of probabilities",
    (
        "log π(a) also contains z_a, the logit of the drawn action. What is the derivative of this term with respect "
        "to z_a?"
    ),
)
def reinforce_backward(g, logits, actions, returns, baseline):
    return g * softmax(logits) * (returns - baseline)[:, None] / len(actions)


@mistake(
    "every-row-every-action",
    "`[:, actions]` takes one entry of each row",
    "Print the shape of `p[:, actions]` for three states. How many entries should one row change?",
)
def reinforce_backward(g, logits, actions, returns, baseline):
    score = softmax(logits)
    score[:, actions] -= 1
    return g * score * (returns - baseline)[:, None] / len(actions)
