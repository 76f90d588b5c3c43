# /// autodrill
# title = "The REINFORCE gradient"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["policy gradient", "score function", "estimators"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""In each of N states a policy π = softmax(logits) chose one action. `logits` has shape (N, A). `actions`, integers of
shape (N,), were drawn from π, and they earned `returns`, floats of shape (N,). The surrogate loss is

    L = -(1/N) Σ_n (returns[n] - baseline) log π(actions[n] | n)

The gradient of L estimates the gradient of minus the expected return. `g` is the gradient of the scalar L, a 0-d
array; `baseline` is a float. Return `dlogits`. The grade depends on the mean of many draws and on their scatter.
"""


def reinforce_backward(g, logits, actions, returns, baseline):
    raise NotImplementedError
