"""Call xhat = (x - mean) * rstd with rstd = 1/sqrt(var + eps). Then out = gamma * xhat + beta, and two gradients are
sums over the batch: dbeta = Σ g, dgamma = Σ g xhat. What reaches xhat is h = gamma * g.

x acts on xhat by three paths: directly, through the mean, and through the variance. Column by column,

    dx = rstd (h - mean(h) - xhat mean(h xhat))

A check of each term: shifting a column changes nothing, so dx sums to 0 down it; stretching a column changes nothing
but for eps, so dx is orthogonal to xhat. The two subtracted terms are the projections that make it so. With N = 1 all
of dx is 0: a batch of one always normalises to 0.

The cache needs xhat, rstd and gamma, and neither x nor the mean. PyTorch keeps x with the mean and 1/std instead; the
running averages it uses in eval mode take no part in this. Two reductions over the batch, the rest elementwise.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    "x influences its normalised value by three paths. What happens to the output if a whole column is shifted?",
    (
        "With h the gradient of xhat, take from h its mean down the column, and xhat times the mean of h * xhat; "
        "then multiply by 1/std."
    ),
    "Cache xhat, rstd and gamma; `rstd * (h - ... - xhat * ...)` with two means over axis 0.",
)
CASES = [
    given("x[5,d] gamma[d] beta[d]", empty=False, large={"d": 8000}),
    given("x[3,d] gamma[d] beta[d]", empty=False, note="three rows"),
    # Two rows normalise to ±1 whatever they are: all of dx is cancellation, too much of it for float32.
    given("x[2,2] gamma[2] beta[2]", x=[[1.0, -2.0], [4.0, 0.5]], gamma=[2.0, -1.0], beta=[0.5, 0.0], note="two rows"),
    given("x[1,d] gamma[d] beta[d]", empty=False, note="one row"),
    given("x[4,1] gamma[1] beta[1]", x=[[3.0], [3.0], [3.0], [3.0]], note="a constant column"),
]
EQUIVALENT = {
    "transpose: (g * xhat).sum(axis=0) -> (g * xhat).sum(axis=0).T": "it has one axis",
    "transpose: g.sum(axis=0) -> g.sum(axis=0).T": "it has one axis",
}
EPS = 1e-5


def forward(x, gamma, beta):
    centred = x - x.mean(axis=0)
    return gamma * centred / ((centred**2).mean(axis=0) + EPS) ** 0.5 + beta


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "eval-rule",
    "the statistics are constants, as they are in eval mode",
    "In training the mean and the variance are made of x. Shift a column: does the output move?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    return g * gamma * rstd, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "axis-1", "the means are taken over the features", "Each column has statistics of its own: which axis is that?"
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=1, keepdims=True) - xhat * (h * xhat).mean(axis=1, keepdims=True))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "sum-not-mean",
    "what flows back through the statistics is a sum over the batch",
    "With what weight does one row enter the mean?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.sum(axis=0) - xhat * (h * xhat).sum(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "unbiased-N-1",
    "the variance of a batch is divided by N - 1",
    "Which variance does the task say the forward used?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).sum(axis=0) / max(len(g) - 1, 1))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "unbiased-forward",
    "the batch is normalised with the unbiased variance",
    "Compare your output with the task's formula for a batch of two rows. By what is the sum of squares divided?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) * (len(x) / max(len(x) - 1, 1)) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


@mistake(
    "eps-outside-root",
    "eps is added to the standard deviation",
    "Look at the task's formula: does eps stand under the root?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / (np.sqrt(x.var(axis=0)) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


latest = []


@mistake(
    "shared-cache",
    "one place will do for what a forward leaves behind",
    "Two forwards, and then the backward of the first: whose values does it find?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    latest[:] = xhat, rstd, gamma
    return gamma * xhat + beta, latest
