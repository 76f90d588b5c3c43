"""Batch norm computes out = gamma * xhat + beta, with xhat = (x - mean) * rstd and rstd = 1/sqrt(var + eps). The
gradients of the parameters are sums over the batch: dbeta = Σ g and dgamma = Σ g xhat. The gradient of xhat is h =
gamma * g.

x affects xhat along three paths: directly, through the mean, and through the variance. In each column,

    ∂mean/∂x_j = 1/N
    ∂rstd/∂x_j = -rstd³ (x_j - mean)/N = -rstd² xhat_j/N

Multiplying the derivative of xhat_i by h_i and summing over the batch gives

    dx = rstd (h - mean(h) - xhat mean(h xhat))

Each of the two subtracted terms belongs to an invariance. Shifting a column does not change the output, so dx sums to 0
along the column. Scaling a column changes the output only through eps, so dx is orthogonal to xhat up to eps. The two
subtracted terms are projections that ensure these two properties. With N = 1, every entry of dx is 0, because a single
row always normalises to 0.

Cost: two sums along each column, Σ g and Σ g xhat, serve all three results, because gamma factors out of both means.
The rest is elementwise, O(N·D) like the forward. The cache needs rstd, gamma and xhat, and xhat is as large as x. The
cache needs neither x nor the mean. If gamma is not 0, xhat can also be recovered from the output as (out - beta)/gamma.

PyTorch: `NativeBatchNormBackward0` saves x, the batch's mean and 1/sqrt(var + eps) instead of xhat. The node also saves
gamma and the running averages. In training mode, backward does not use the running averages. PyTorch normalises by the
biased variance, as here, but updates `running_var` with the unbiased variance. In training mode PyTorch rejects one
value per channel (`Expected more than 1 value per channel when training`), whereas this solution returns dx = 0.

Asked next:

- What is dx in eval mode? → In eval mode the running averages are constants. So dx is gamma * g / sqrt(running_var +
  eps). Nothing is subtracted, and no sample affects another. A frozen batch norm in fine-tuning behaves in the same
  way.
- A column is constant over the batch. What are xhat and dx? → xhat is 0, and rstd is 1/sqrt(eps), about 316 here. dx is
  h minus its mean, times 316. Only eps keeps dx finite.
- The batch is spread over GPUs, and the statistics are taken over the whole batch. What must backward exchange? → The
  GPUs must add up two numbers per channel, Σ g and Σ g xhat, and N is the size of the whole batch. The exchange takes
  one small all-reduce in the middle of backward, because dx needs the sums. The forward has an all-reduce for the
  statistics.
- The layer is checkpointed, so its forward runs twice in a step. What does the second forward change? → The gradients
  stay the same, but the running averages move twice on the same batch. With `torch.utils.checkpoint` around a batch
  norm, a ReLU and a linear layer, `num_batches_tracked` is 2 after one step.
"""

import numpy as np

from autodrill.drills import given, mistake, normal

HINTS = (
    "x influences its normalised value along three paths. What happens to the output if a whole column is shifted?",
    (
        "Let h be the gradient of xhat. Subtract two terms from h: its mean over the column, and xhat times the mean "
        "of h * xhat. Then multiply by 1/std."
    ),
    "Cache xhat, rstd and gamma. dx is `rstd * (h - ... - xhat * ...)`, with two means over axis 0.",
)


def zero_first(rng, shape, _):
    return rng.normal(size=shape) * (np.arange(shape[0]) > 0)


CASES = [
    given("x[3,d] gamma[d] beta[d]", large=False),
    given("x[n>=5,d] gamma[d] beta[d]", large={"n": 50_000, "d": 2}),
    given("x[3,d] gamma[d] beta[d]", gamma=zero_first, large=False, note="three rows, gamma[0] = 0"),
    given("x[4,d] gamma[d] beta[d]", x=normal(3, 1e4), large=False, note="an offset of 10,000"),
    # Two rows always normalise to ±1, so dx is only what cancellation leaves. In float32 too few digits are left.
    given("x[2,2] gamma[2] beta[2]", x=[[1.0, -2.0], [4.0, 0.5]], gamma=[2.0, -1.0], beta=[0.5, 0.0], note="two rows"),
    given("x[1,d] gamma[d] beta[d]", note="one row"),
    given("x[4,1] gamma[1] beta[1]", x=[[3.0], [3.0], [3.0], [3.0]], note="a constant column"),
]
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
    "the statistics are constants, as in eval mode",
    "In training, the mean and the variance come from x. If you shift a column, does the output move?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    return g * gamma * rstd, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "mean-is-constant",
    "the mean does not depend on x",
    "Shift a whole column: the output does not move. Does your dx sum to 0 along the column?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    return rstd * (h - xhat * (h * xhat).mean(axis=0)), (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "variance-is-constant",
    "the variance does not depend on x",
    "Stretch a whole column: the output hardly moves. Is your dx orthogonal to the normalised column?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    return rstd * (h - h.mean(axis=0)), (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "axis-1",
    "the means are taken over the features",
    "Each column has its own statistics. Over which axis are these statistics taken?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=1, keepdims=True) - xhat * (h * xhat).mean(axis=1, keepdims=True))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "sum-not-mean",
    "the mean and the variance contribute sums over the batch, not means",
    "What weight does one row have in the mean?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.sum(axis=0) - xhat * (h * xhat).sum(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "unbiased-N-1",
    "the variance divides by N - 1",
    "Which variance does the task's forward use?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).sum(axis=0) / max(len(g) - 1, 1))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "unbiased-forward",
    "the forward normalises with the unbiased variance",
    (
        "Compare your output with the task's formula for a batch of two rows. By what does the formula divide the sum "
        "of squares?"
    ),
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) * (len(x) / max(len(x) - 1, 1)) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


@mistake(
    "layer-norm",
    "each row has its own statistics, as in layer norm",
    "Read the task again: over which axis are the mean and the variance taken?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=1, keepdims=True) + EPS)
    xhat = (x - x.mean(axis=1, keepdims=True)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


@mistake(
    "one-for-all-columns",
    "all columns share one mean and one variance",
    "How many means does a batch of D columns have?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var() + EPS)
    xhat = (x - x.mean()) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


@mistake(
    "eps-outside-root",
    "eps is added to the standard deviation",
    "Is eps under the root in the task's formula?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / (np.sqrt(x.var(axis=0)) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


@mistake(
    "one-pass-variance",
    "mean(x²) - mean(x)² computes the variance accurately",
    "If x is near 10,000, both terms are near 1e8. How many digits of a variance of 9 are left in their difference?",
)
def batchnorm_forward(x, gamma, beta):
    mean = x.mean(axis=0)
    rstd = 1 / np.sqrt((x * x).mean(axis=0) - mean * mean + EPS)
    xhat = (x - mean) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


latest = []


@mistake(
    "shared-cache",
    "one shared variable can serve as the cache",
    "Run two forwards and then the backward of the first. Which forward's values does this backward read?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    latest[:] = xhat, rstd, gamma
    return gamma * xhat + beta, latest


@mistake(
    "gamma-on-first-term",
    "gamma scales only the first of the three terms of dx",
    "Which gradient do the two means average: the one before or the one after the multiplication by gamma?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    dx = rstd * (g * gamma - g.mean(axis=0) - xhat * (g * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "dgamma-uses-x",
    "gamma multiplies x minus its mean",
    "Which quantity does gamma multiply in the forward? Is it divided by the standard deviation?",
)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat / rstd).sum(axis=0), g.sum(axis=0)


@mistake(
    "no-rstd",
    "dx does not depend on the standard deviation",
    "Stretch x by 10. By which factor does the slope of the output change?",
)
def batchnorm_backward(g, cache):
    xhat, _, gamma = cache
    h = g * gamma
    return h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0), (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "no-eps",
    "the backward needs no eps",
    "A column is constant, so its variance is 0. By what does your backward divide? Where was eps added?",
)
def batchnorm_forward(x, gamma, beta):
    centred, var = x - x.mean(axis=0), x.var(axis=0)
    out = gamma * centred / np.sqrt(var + EPS) + beta
    return out, (centred / np.sqrt(var), 1 / np.sqrt(var), gamma)


@mistake(
    "rstd-without-eps",
    "dx is divided by the root of the plain variance",
    "xhat is x minus its mean, times a number for each column. Does dx contain the same number?",
)
def batchnorm_forward(x, gamma, beta):
    var = x.var(axis=0)
    xhat = (x - x.mean(axis=0)) / np.sqrt(var + EPS)
    return gamma * xhat + beta, (xhat, 1 / np.sqrt(var), gamma)


@mistake(
    "no-eps-in-forward",
    "the variance is never 0",
    "All rows of a batch are equal. What is the variance of a column, and by what does your forward divide?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / x.std(axis=0)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


buffers = {}


@mistake(
    "buffer-for-each-shape",
    "all batches of one shape can share one buffer for xhat",
    "Run two forwards on batches of one shape, then the backward of the first. Whose xhat does the buffer hold?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    xhat = buffers.setdefault((x.shape, x.dtype), np.empty_like(x))
    xhat[...] = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


statistics = {}


@mistake(
    "statistics-kept-by-shape",
    "the statistics of a batch can be kept by its shape",
    "Run two forwards on batches of one shape, then the backward of the first. Whose standard deviation is kept?",
)
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    xhat = (x - x.mean(axis=0)) * rstd
    kept = statistics.setdefault((x.shape, x.dtype), np.empty_like(rstd))
    kept[...] = rstd
    return gamma * xhat + beta, (xhat, kept, gamma)
