# /// autodrill
# title = "The REINFORCE gradient"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["policy gradient", "score function", "estimators"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""In each of N states a policy π = softmax(logits) chose one action. `logits` has shape (N, A). `actions` holds the
chosen actions, integers of shape (N,). `returns` holds the return that each action earned, floats of shape (N,). The
surrogate loss is

    L = -(1/N) Σ_n (returns[n] - baseline) log π(actions[n] | n)

The gradient of L estimates the gradient of the negated expected return. `g` is the upstream gradient of the scalar L, a
0-d array. `baseline` is a float. Return `dlogits`. Grading looks at the mean and the variance of your result over many
draws of `actions`.
"""


def reinforce_backward(g, logits, actions, returns, baseline):
    raise NotImplementedError
