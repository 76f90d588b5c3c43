"""Call xhat = (x - mean) * rstd with rstd = 1/sqrt(var + eps). Then out = gamma * xhat + beta, and two gradients are
sums over the batch: dbeta = Σ g, dgamma = Σ g xhat. What reaches xhat is h = gamma * g.

x acts on xhat by three paths: directly, through the mean, and through the variance. Column by column,

    ∂mean/∂x_j = 1/N        ∂rstd/∂x_j = -rstd³ (x_j - mean)/N = -rstd² xhat_j/N

so multiplying by h_i and summing over the batch gives

    dx = rstd (h - mean(h) - xhat mean(h xhat))

A check of each term: shifting a column changes nothing, so dx sums to 0 down it; stretching a column changes nothing
but for eps, so but for eps dx is orthogonal to xhat. The two subtracted terms are the projections that make it so.
With N = 1 all of dx is 0: a batch of one always normalises to 0.

Cost: two sums down each column, Σ g and Σ g xhat, serve all three results, as gamma comes out of both means; the rest
is elementwise, O(N·D) like the forward. The cache needs xhat, as large as x, with rstd and gamma, and neither x nor
the mean. Where gamma is not 0, xhat could be had again from the output, as (out - beta)/gamma.

PyTorch: `NativeBatchNormBackward0` keeps x with the batch's mean and 1/sqrt(var + eps) instead of xhat, besides gamma
and the running averages, which take no part in a training backward. It normalises by the biased variance like ours,
but updates `running_var` with the unbiased one. In training mode one value a channel is refused (`Expected more than 1
value per channel when training`); ours answers 0.

Asked next:

- What is dx in eval mode? → The running averages are constants, so it is gamma * g over the square root of the running
  variance plus eps, without any subtraction, and no sample sees another. A frozen batch norm in fine-tuning is the
  same.
- A column is constant over the batch. What are xhat and dx? → xhat is 0, and rstd is 1/sqrt(eps), about 316 here: dx
  is finite, thanks to eps, but 316 times what is left of h without its mean.
- The batch is spread over GPUs and the statistics are to be those of the whole batch. What has backward to
  exchange? → Two numbers a channel, Σ g and Σ g xhat, added over the ranks, with N the size of the whole batch. That
  is one small all-reduce in the middle of backward, as dx waits for it; the forward has one for the statistics.
- The layer is checkpointed, so its forward runs twice in a step. What does that change? → Not the gradients, but the
  running averages, which move twice on the same batch: with `torch.utils.checkpoint` around a batch norm, a ReLU and a
  linear layer, `num_batches_tracked` stands at 2 after one step.
"""

import numpy as np

from autodrill.drills import given, mistake, normal

HINTS = (
    "x influences its normalised value by three paths. What happens to the output if a whole column is shifted?",
    (
        "With h the gradient of xhat, take from h its mean down the column, and xhat times the mean of h * xhat; "
        "then multiply by 1/std."
    ),
    "Cache xhat, rstd and gamma; `rstd * (h - ... - xhat * ...)` with two means over axis 0.",
)


def zero_first(rng, shape, _):
    return rng.normal(size=shape) * (np.arange(shape[0]) > 0)


CASES = [
    given("x[5,d] gamma[d] beta[d]", empty=False, large={"d": 8000}),
    given("x[3,d] gamma[d] beta[d]", gamma=zero_first, empty=False, large=False, note="three rows, gamma[0] = 0"),
    given("x[4,d] gamma[d] beta[d]", x=normal(3, 1e4), empty=False, large=False, note="an offset of 10,000"),
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


@mistake(
    "one-pass-variance",
    "the variance may be had as mean(x²) - mean(x)²",
    "Around 10,000 both terms are near 1e8. How many digits of a variance of 9 are left in their difference?",
)
def batchnorm_forward(x, gamma, beta):
    mean = x.mean(axis=0)
    rstd = 1 / np.sqrt((x * x).mean(axis=0) - mean * mean + EPS)
    xhat = (x - mean) * rstd
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
