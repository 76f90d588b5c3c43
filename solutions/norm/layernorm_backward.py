"""Layer norm broadcasts gamma and beta over all rows, so their gradients sum over every axis but the last: dbeta = Σ g
and dgamma = Σ g·x̂.

For dx, let h = g·gamma, which is the gradient of x̂. Within a row, x̂_i = (x_i - μ)·r with the mean μ and r = 1/√(var +
eps). Both μ and r depend on every x_j:

    ∂μ/∂x_j = 1/D        ∂r/∂x_j = -r³ (x_j - μ)/D = -r² x̂_j/D

The derivative of x̂_i has three terms: one for x_i itself, one for μ and one for r. Multiply this derivative by h_i and
sum over i:

    dx_j = r h_j  -  r · mean(h)  -  r x̂_j · mean(h x̂)

The second term removes the mean of h. The third term removes the part of h along x̂. Two invariances require these
terms. Adding a constant to the row does not move the output, so dx sums to 0. Scaling the row moves the output only
through eps, so dx is orthogonal to x̂ up to eps. Each invariance can be tested in one line.

Cost: two means per row, two sums over the rows for the parameters, and a few products per element. Together these steps
take O(D) per row, as in the forward. With so few operations per number, moving the arrays takes most of the time, so
implementations fuse the steps. Instead of x̂, which is as large as x, the forward may save x, μ and r. Both μ and r are
one number per row.

PyTorch: `NativeLayerNormBackward0` saves x, mean and rstd, weight and bias, and recomputes x̂ from x. On the CPU, if x
has half precision and the parameters are float32, mean and rstd are float32. The statistics are then not rounded to the
precision of x. `F.layer_norm` can normalise over several last axes at once. The argument `normalized_shape` gives the
sizes of these axes.

Asked next:

- RMSNorm omits the mean: x̂ = x·r with r = 1/√(mean(x²) + eps). What is dx? → The path through μ disappears, and with
  it the middle term: dx = r (h - x̂ · mean(h x̂)). This dx is orthogonal to x up to eps, but it no longer sums to 0.
- The rows have two elements. What is dx, and why are such rows a bad test case? → If the two elements differ, x̂ is ±1
  up to eps, so dx is 0 up to eps. The computed dx is then mostly rounding error. In float32 at x = (1, 5), the two
  entries of dx should have equal sizes and opposite signs, but their sizes differ by several per cent.
- Why not compute the variance as mean(x²) minus mean(x)², in one pass? → If x is near 10,000, its squares are near 1e8,
  and float32 numbers of this size are 8 apart. A variance of 1 is lost. The result may even be negative, and its root
  is then NaN. Subtract the mean first, or use Welford's updates.
- How does computing dgamma differ from computing dx on a GPU? → dx needs sums within a row, which one thread block can
  compute. dgamma sums over the rows, and therefore across blocks. This needs either partial sums with a second
  reduction, or atomic additions. The order of atomic additions can change the last bits from run to run.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake, normal

HINTS = (
    "x_j moves the output in three ways: directly, through the mean, and through the variance. Which rows use gamma?",
    ("Let h = g·gamma. Then dx = rstd · (h - mean(h) - x̂ · mean(h·x̂)), with means along the last axis."),
    "Take all means with `keepdims=True`. For dgamma and dbeta, reshape to rows of length D and sum over the rows.",
)


def constant_rows(rng, shape, _):
    return np.full(shape, 7.0)


EPS = 1e-5
# The rows have fixed lengths. In rows of two elements dx would be 0 up to eps, and only the rounding error of xhat
# would be left.
CASES = [
    given("x[n,d>=5] gamma[d] beta[d]"),
    given("x[k,n,4] gamma[4] beta[4]", large=False),
    given("x[7] gamma[7] beta[7]", note="one row"),
    given("x[n,1] gamma[1] beta[1]", large=False, note="rows of one element"),
    given("x[n,6] gamma[6] beta[6]", x=normal(3, 1e4), large=False, note="an offset of 10,000"),
    given("x[2,2,n,3] gamma[3] beta[3]", x=constant_rows, large=False, note="constant rows on three axes"),
]


def forward(x, gamma, beta):
    return engine.layer_norm(x, weight=gamma, bias=beta, eps=EPS)


def saved(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)
    return {"rstd": rstd, "xhat": (x - x.mean(axis=-1, keepdims=True)) * rstd}


def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    mean = h.mean(axis=-1, keepdims=True)
    along = (h * xhat).mean(axis=-1, keepdims=True)
    dx = rstd * (h - mean - xhat * along)
    dgamma = (g * xhat).reshape(-1, gamma.size).sum(axis=0)
    dbeta = g.reshape(-1, gamma.size).sum(axis=0)
    return dx, dgamma, dbeta


def parameters(g, xhat):
    rows = tuple(range(g.ndim - 1))
    return (g * xhat).sum(axis=rows), g.sum(axis=rows)


@mistake(
    "stats-constant",
    "mean and variance are constants",
    "If you shift a whole row, the output does not move. Does your dx sum to 0 along the row?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    return rstd * g * gamma, *parameters(g, xhat)


@mistake(
    "no-mean-term",
    "the mean is a constant",
    "If you shift a whole row, the output does not move. Does your dx sum to 0 along the row?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    return rstd * (h - xhat * (h * xhat).mean(axis=-1, keepdims=True)), *parameters(g, xhat)


@mistake(
    "no-var-term",
    "the variance is a constant",
    "If you double a whole row, the output hardly moves. Is your dx orthogonal to x̂?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    return rstd * (h - h.mean(axis=-1, keepdims=True)), *parameters(g, xhat)


@mistake(
    "gamma-missing",
    "gamma does not affect the gradient of x",
    "out is x̂ times gamma, plus beta. What is the gradient of x̂ if the gradient of out is g?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    dx = rstd * (g - g.mean(axis=-1, keepdims=True) - xhat * (g * xhat).mean(axis=-1, keepdims=True))
    return dx, *parameters(g, xhat)


@mistake(
    "gamma-outside",
    "the multiplication by gamma can wait until the end",
    "gamma varies along the axis of the means. Is the mean of a product the product of the means?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    dx = rstd * (g - g.mean(axis=-1, keepdims=True) - xhat * (g * xhat).mean(axis=-1, keepdims=True))
    return dx * gamma, *parameters(g, xhat)


@mistake(
    "dgamma-uses-x",
    "gamma multiplies x itself",
    "What does gamma multiply in the forward: x, or the normalised value?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    mean = h.mean(axis=-1, keepdims=True)
    along = (h * xhat).mean(axis=-1, keepdims=True)
    dx = rstd * (h - mean - xhat * along)
    _, dbeta = parameters(g, xhat)
    return dx, parameters(g, xhat / rstd)[0], dbeta


@mistake(
    "per-row-params",
    "each row has its own parameters",
    "gamma has D entries. Over which axes was each entry broadcast?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    mean = h.mean(axis=-1, keepdims=True)
    along = (h * xhat).mean(axis=-1, keepdims=True)
    dx = rstd * (h - mean - xhat * along)
    return dx, (g * xhat).sum(axis=-1), g.sum(axis=-1)


@mistake(
    "sum-not-mean",
    "the two subtracted terms contain sums along the row, not means",
    "If one of D numbers moves by 1, how far does their mean move?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    dx = rstd * (h - h.sum(axis=-1, keepdims=True) - xhat * (h * xhat).sum(axis=-1, keepdims=True))
    return dx, *parameters(g, xhat)


@mistake(
    "plus",
    "the term for the variance has a plus sign",
    "If you double a whole row, the output hardly moves. Is your dx orthogonal to x̂?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    dx = rstd * (h - h.mean(axis=-1, keepdims=True) + xhat * (h * xhat).mean(axis=-1, keepdims=True))
    return dx, *parameters(g, xhat)


@mistake(
    "first-axis-only", "only the first axis holds rows", "What shapes may x have? Over which axes was gamma broadcast?"
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    mean = h.mean(axis=-1, keepdims=True)
    along = (h * xhat).mean(axis=-1, keepdims=True)
    dx = rstd * (h - mean - xhat * along)
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "whole-mean",
    "one mean is enough for the whole array",
    "How many means did the forward take, and over which elements?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    return rstd * (h - h.mean() - xhat * (h * xhat).mean()), *parameters(g, xhat)


@mistake(
    "unbiased",
    "the variance divides by D - 1",
    "Read the task again: which variance did the forward use? Is your dx orthogonal to x̂?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    along = (h * xhat).sum(axis=-1, keepdims=True) / max(h.shape[-1] - 1, 1)
    return rstd * (h - h.mean(axis=-1, keepdims=True) - xhat * along), *parameters(g, xhat)


@mistake(
    "gamma-on-first-term",
    "gamma scales only the first of the three terms of dx",
    "Which gradient do the two means average: the one before or the one after the multiplication by gamma?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    dx = rstd * (g * gamma - g.mean(axis=-1, keepdims=True) - xhat * (g * xhat).mean(axis=-1, keepdims=True))
    rows = tuple(range(g.ndim - 1))
    return dx, (g * xhat).sum(axis=rows), g.sum(axis=rows)


@mistake(
    "means-over-batch",
    "the two means of dx run over the first axis",
    "Each row has its own statistics. Over which axis are these statistics taken?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h, rows = g * gamma, tuple(range(g.ndim - 1))
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=rows), g.sum(axis=rows)


@mistake(
    "means-over-rows",
    "the means run over the rows, as in batch norm",
    "Along which axis did the forward take its mean and variance?",
)
def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    rows = tuple(range(g.ndim - 1))
    mean = h.mean(axis=rows, keepdims=True)
    return rstd * (h - mean - xhat * (h * xhat).mean(axis=rows, keepdims=True)), *parameters(g, xhat)
