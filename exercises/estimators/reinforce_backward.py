# /// autodrill
# title = "The REINFORCE gradient"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["policy gradient", "score function", "estimators"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""In each of N states a policy π = softmax(logits), with `logits` of shape (N, A), chose one action: `actions`, integers
of shape (N,), drawn from π. It earned `returns`, floats of shape (N,). The surrogate loss

    L = -(1/N) Σ_n (returns[n] - baseline) log π(actions[n] | n)

has as its gradient an estimate of the gradient of minus the expected return. `g` is the gradient of the scalar L, a
0-d array; `baseline` is a float. Return `dlogits`. You are judged by the mean of many draws, and by their scatter.
"""


def reinforce_backward(g, logits, actions, returns, baseline):
    raise NotImplementedError
