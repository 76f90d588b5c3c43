# /// autodrill
# title = "The REINFORCE gradient"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["estimators", "post-training"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""In each of N states, a policy chose one action. The policy is π = softmax(logits), and `logits` has shape (N, A). The
chosen actions are in `actions`, an array of integers of shape (N,). The return that each action earned is in `returns`,
an array of floats of shape (N,). The surrogate loss is

    L = -(1/N) Σ_n (returns[n] - baseline) log π(actions[n] | n)

The gradient of L estimates the gradient of the negated expected return. `g`, a 0-d array, is the upstream gradient of
the scalar L. `baseline` is a float. Return `dlogits`. Grading looks at the mean and the variance of your result over
many draws of `actions`.
"""


def reinforce_backward(g, logits, actions, returns, baseline):
    raise NotImplementedError
