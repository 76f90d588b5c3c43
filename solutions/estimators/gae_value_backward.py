"""The target A_t + V_t is a constant, so L is an ordinary squared error. V_t enters the error with slope 1:

    dV_t = g/T · (V_t - (A_t + V_t)) = -g/T · A_t

The gradient is the advantage itself, with a minus sign. V_T occurs only inside stop(...), so dV_T is 0. This gradient
is called a semi-gradient, because V also enters the target, and that path is cut.

What is left is to compute A. It is a linear scan that runs backwards in time, from A_T = 0:

    A_t = δ_t + gamma · lam · (1 - term_t) · A_(t+1)

If an episode ends with step t, the scan is cut at two places. The value after the end is 0, so δ_t does not contain
V_(t+1). Step t + 1 belongs to another episode, so A_(t+1) does not enter A_t.

With lam = 0, A_t is δ_t, the error of one step. With lam = 1, the values telescope. The target A_t + V_t is then the
discounted sum of the rewards up to the end of the episode. If the rollout stops before that, gamma^(T-t) · V_T is
added.

Cost: O(T) for one scan, and about ten operations per step. Backward is one product per step, because the forward has
already computed A. The forward needs to save A only, and not V, δ or the target.

PyTorch: No function of PyTorch computes GAE. TRL and verl run this loop under `torch.no_grad()`, with values that were
computed before the update, and use `0.5 * (vpred - returns)**2`. So the target is a constant and needs no `detach`.
Both also clip the new value to a range around the old one. They take the larger of the squared errors with and without
the clip.

Asked next:

- A time limit cuts an episode off. Is `term` 1 or 0 at this step? → Neither is right. The episode would have gone on,
  so δ should contain gamma · V_(t+1), where V_(t+1) is the value of the last state reached. But A_(t+1) belongs to the
  next episode and must not enter. So two masks are needed, one for the value and one for the scan.
- Why is the gradient not passed through the target? → With a gradient through the target, training would minimise the
  squared Bellman residual. If the next state is random, the mean of this square also contains the variance of the
  target. Lowering this variance pulls V to the wrong place. Training would also move the next state's value towards the
  current one.
- What is the effect of a small lam, and what is the effect of a large lam? → A small lam relies on V_(t+1), which may
  be wrong, so A is biased. A large lam adds up the randomness of many steps, so A has a larger variance.
- How do you test A without a second implementation? → With lam = 1 and a final step that ends the episode, A + V must
  be the discounted sum of the later rewards. With gamma = 0, A is reward - V.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "The target is a constant. What is the derivative of (V_t - target)²/2 with respect to V_t? How large is V_t "
        "- target?"
    ),
    "dV_t is -g/T · A_t. Compute A from the last step to the first, and start from A_T = 0, which is also dV_T.",
    (
        "Compute A from the last step to the first, in a list. A_t is `delta[t]` plus gamma · lam · ... · A_(t+1). "
        "Reverse A at the end."
    ),
)
WRT = ("V",)
RESULTS = ("dV",)
ROLLOUT = "V[6] reward[5] term[5]"
INSIDE = [0.0, 0.0, 1.0, 0.0, 0.0]


# Finite differences would move the constant targets as well. They are used where the targets do not depend on V.
CASES = [
    given(ROLLOUT, term=INSIDE, gamma=0.9, lam=0.8, smooth=False, note="an episode that ends inside"),
    given(ROLLOUT, term=[1.0, 0.0, 0.0, 0.0, 1.0], gamma=0.9, lam=1.0, note="lam=1, and an end at the last step"),
    given(ROLLOUT, term=INSIDE, gamma=0.9, lam=0.0, smooth=False, note="lam=0"),
    given(ROLLOUT, term=0.0, gamma=0.0, lam=0.7, note="gamma=0"),
    given("V[9] reward[8] term[8]", term=0.0, gamma=1.0, lam=0.95, smooth=False, note="no end"),
    given("V[2] reward[1] term[1]", term=0.0, gamma=0.5, lam=0.5, smooth=False, note="one step"),
    given("V[2] reward[1] term[1]", term=1.0, gamma=0.5, lam=0.5, note="one step, which ends the episode"),
]
MISTAKES = [
    edit(
        "bootstrap-gets-gradient",
        "V_(t+1) has a gradient because it takes part in δ_t",
        "Does V_(t+1) occur in the loss of step t outside of stop(...)?",
        "return ... -> A = np.array(A[::-1]); out = -A; out[1:] += gamma * goes_on * A[:-1]; return g * out / steps",
    ),
    edit(
        "no-termination",
        "the scan runs through the ends of episodes",
        "What is the value after the end of an episode?",
        "goes_on = ... -> goes_on = np.ones_like(term)",
    ),
    edit(
        "bootstraps-past-the-end",
        "δ contains V_(t+1) after the end of an episode too",
        "If term_t is 1, V_(t+1) belongs to the next episode. What future reward does an episode's last step have?",
        "gamma * goes_on * V -> gamma * V",
    ),
    edit(
        "advantage-runs-over",
        "an episode's advantages include advantages of the next episode",
        "Can the last action of an episode cause a reward in the next one?",
        "lam * goes_on[t] * -> lam *",
    ),
    edit(
        "term-of-the-next-step",
        "term_t says that step t starts an episode",
        "term_t is 1 at the last step of an episode. Which of V_t and V_(t+1) belongs to the next episode?",
        "goes_on = ... -> goes_on = 1 - np.append(term[1:], term[:1])",
    ),
    edit(
        "scanned-forwards",
        "A_t sums the errors of earlier steps",
        "Does an action at step t affect the rewards before it?",
        "reversed(range(steps)) -> range(steps)",
        "np.array(A[::-1]) -> np.array(A[1:] + A[:1])",
    ),
    edit(
        "one-step",
        "the advantage is δ",
        "Which argument does your function never use?",
        "A.append(... -> A.append(delta[t])",
    ),
    edit(
        "no-lam",
        "lam is 1",
        "By which product does the task multiply A_(t+1)?",
        "gamma * lam -> gamma",
    ),
    edit(
        "no-gamma-in-scan",
        "only δ is discounted",
        "By which product does the task multiply A_(t+1)?",
        "gamma * lam -> lam",
    ),
    edit(
        "stop-is-zero",
        "a stopped term vanishes from the loss",
        "stop(...) removes a gradient. Does it also remove the value?",
        "return ... -> return g * np.append(V[:-1], 0 * V[-1:]) / steps",
    ),
    edit(
        "no-half",
        "the loss is the mean squared error without the factor 1/2",
        "Which factor of the slope of a square does the 1/2 cancel?",
        "return -g -> return -2 * g",
    ),
    edit(
        "sign",
        "the advantage is the gradient",
        "A_t > 0 means that V_t is too small. Does a descent step with your gradient raise V_t?",
        "return -g -> return g",
    ),
    edit(
        "no-mean",
        "the loss is a sum over steps",
        "Which factor does the task's formula for L have before the sum?",
        "/ steps ->",
    ),
    edit(
        "mean-over-values",
        "the mean runs over all T + 1 values",
        "How many squared errors does the loss average?",
        "/ steps -> / len(V)",
    ),
    edit(
        "term-of-the-next-step-but-0-at-the-end",
        "term_t says that step t starts an episode",
        "term_t is 1 at the last step of an episode. Which of V_t and V_(t+1) belongs to the next episode?",
        "goes_on = ... -> goes_on = 1 - np.append(term[1:], 0 * term[:1])",
    ),
    edit(
        "term-of-the-step-before",
        "an episode that ends with step t - 1 cuts the scan at step t",
        "term_t is 1. Which steps lie in the same episode as step t: those before it, or those after it?",
        "goes_on = ... -> goes_on = 1 - np.append(0 * term[:1], term[:-1])",
    ),
    edit(
        "no-bootstrap-at-the-end",
        "the value after the final step is 0",
        "A rollout may stop inside an episode. Which number does the task use for the value of the final state?",
        "gamma * goes_on * V[1:] -> gamma * goes_on * np.append(V[1:-1], 0 * V[:1])",
    ),
    edit(
        "advantages-normalised",
        "the advantages are normalised to mean 0 and standard deviation 1",
        "Does the task's formula for L contain the mean of the advantages?",
        "return ... -> A = np.array(A[::-1]); A[:-1] = (A[:-1] - A[:-1].mean()) / (A[:-1].std() + 1e-8)\n"
        "    return -g * A / steps",
    ),
]


def forward(V, reward, term, gamma, lam):
    values, goes_on = engine.stop_gradient(V), 1 - term
    delta = reward + gamma * goes_on * values[1:] - values[:-1]
    advantages = [delta[-1]]
    for t in reversed(range(len(reward) - 1)):
        advantages.insert(0, delta[t] + gamma * lam * goes_on[t] * advantages[0])
    target = engine.stack(advantages) + values[:-1]
    return ((V[:-1] - target) ** 2).mean() / 2


def gae_value_backward(g, V, reward, term, gamma, lam):
    steps = len(reward)
    goes_on = 1 - term
    delta = reward + gamma * goes_on * V[1:] - V[:-1]
    A = [V.dtype.type(0)]
    for t in reversed(range(steps)):
        A.append(delta[t] + gamma * lam * goes_on[t] * A[-1])
    return -g * np.array(A[::-1]) / steps


@mistake(
    "through-the-target",
    "everything that depends on V is differentiated",
    "What does stop(...) do to the gradient of its argument?",
)
def gae_value_backward(g, V, reward, term, gamma, lam):
    steps, goes_on = len(reward), 1 - term
    delta = reward + gamma * goes_on * V[1:] - V[:-1]
    A = np.zeros_like(V)
    for t in reversed(range(steps)):
        A[t] = delta[t] + gamma * lam * goes_on[t] * A[t + 1]
    d = A[:-1] * (g / steps)
    for t in range(1, steps):
        d[t] += gamma * lam * goes_on[t - 1] * d[t - 1]
    out = np.zeros_like(V)
    out[:-1] -= d
    out[1:] += gamma * goes_on * d
    return out
