# /// autodrill
# title = "SGD that oscillates and never converges"
# kind = "bugfix"
# difficulty = "easy"
# minutes = 4
# topics = ["optim", "engine"]
# requires = ["backward_engine"]
# ///
"""A colleague's loop fits y = w·x by stochastic gradient descent. The loop takes one
step for each sample, and the loss is the squared error (w·x - y)². As in a framework,
`backward` *adds* into `.grad`. The first step is right, and the later steps are wrong.
On repeated samples the weight oscillates without end.

Repair `bug_zero_grad`. It returns the weight after one pass over `data`, a list of (x,
y) pairs, and leaves the list as it is.
"""


class Parameter:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0


def backward(p, x, y):
    """What loss.backward() does for the loss (w·x - y)²."""
    p.grad += 2 * (p.data * x - y) * x


def bug_zero_grad(w, data, lr):
    p = Parameter(w)
    for x, y in data:
        backward(p, x, y)
        p.data -= lr * p.grad
    return p.data
