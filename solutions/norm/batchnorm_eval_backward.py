"""The running averages do not depend on x. So each column passes through a fixed affine function: subtract a constant,
multiply by r = 1/√(running_var + eps), multiply by gamma, add beta. The derivative of this function with respect to x
is gamma·r, hence

    dx = g · gamma · r

No mean is subtracted, and no sample affects another. In training mode the statistics come from the batch, so dx has two
more terms, for the paths through the mean and the variance.

gamma multiplies xhat = (x - running_mean)·r, and both gamma and beta are broadcast over the samples. So dgamma = Σ
g·xhat and dbeta = Σ g, with the sums over the batch. The parameters still learn in eval mode, unless they are frozen
too.

A running variance of 0 belongs to a channel that was constant. For such a channel, only eps keeps r finite: r = 1/√eps,
about 316.

Cost: a product per element for dx and two sums over the batch, O(N·D), as in the forward. dx needs only g and the D
factors gamma·r. x is saved only for dgamma.

PyTorch: in eval mode `NativeBatchNormBackward0` saves x, gamma and the two running averages, and no statistics of the
batch. The node keeps x even if gamma needs no gradient. Eval mode accepts a batch of one sample, whereas training mode
rejects such a batch. `eval()` does not stop gradients: gamma and beta still receive them. `requires_grad_(False)` on
gamma and beta does not freeze the running averages, which change in every forward in training mode. To freeze a layer,
make both calls.

Asked next:

- Why do people fine-tune with batch norm in eval mode? → With small batches the batch's statistics are noisy. With the
  old averages, training and inference compute the same function. A sample's gradient then does not depend on the other
  samples.
- How can inference avoid the layer altogether? → The layer is affine per channel, so it can be folded into the linear
  layer or convolution before it. The weights of channel c are multiplied by gamma_c·r_c, and the bias b_c becomes (b_c
  - running_mean_c)·gamma_c·r_c + beta_c.
- After a switch to eval mode, the gradient of one channel explodes. What do you look at? → Look at running_var. If
  running_var is far smaller than the variance of the present inputs, then r is too large. The output and dx grow by the
  same factor. Training mode would have divided by the present variance.
"""

import numpy as np

from autodrill.drills import edit, given, mistake, normal, uniform

HINTS = (
    "Which of the arrays in the forward change if one sample of x changes?",
    (
        "The layer multiplies each column by gamma and divides it by a constant root. gamma and beta are shared by all "
        "samples."
    ),
    "With `rstd = 1 / np.sqrt(...)`, dx is a product of three arrays. The two other gradients are sums over axis 0.",
)
EPS = 1e-5
WRT = ("x", "gamma", "beta")
ARRAYS = "x[n,d] running_mean[d] running_var[d] gamma[d] beta[d]"
CASES = [
    given(ARRAYS, running_var=uniform(0.5, 3)),
    given(ARRAYS.replace("n", "1", 1), running_var=uniform(0.5, 3), note="one sample"),
    given(ARRAYS, x=normal(3, 1e3), running_mean=1e3, running_var=uniform(4, 9), note="an offset of 1000"),
    given(
        "x[2,3] running_mean[3] running_var[3] gamma[3] beta[3]",
        x=[[1.0, 2.0, -1.0], [3.0, 2.0, 0.5]],
        running_mean=[2.0, 2.0, 0.0],
        running_var=[1e-6, 0.0, 4.0],
        gamma=[1.5, -2.0, 0.0],
        beta=[0.5, 1.0, -1.0],
        note="variances near 0, gamma[2] = 0",
    ),
]


def forward(x, running_mean, running_var, gamma, beta):
    return (x - running_mean) / (running_var + EPS) ** 0.5 * gamma + beta


def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    rstd = 1 / np.sqrt(running_var + EPS)
    xhat = (x - running_mean) * rstd
    return g * gamma * rstd, (g * xhat).sum(axis=0), g.sum(axis=0)


MISTAKES = [
    edit(
        "no-rstd",
        "dx does not depend on the running variance",
        "Multiply running_var by 100. By which factor does the slope of the output change?",
        "gamma * rstd -> gamma",
    ),
    edit(
        "gamma-missing",
        "gamma does not affect the gradient of x",
        "If gamma is 0, does the output depend on x?",
        "g * gamma * -> g *",
    ),
    edit(
        "no-root",
        "the forward divides by the variance",
        "What is the unit of a variance if x is in metres? By what does the forward divide?",
        "1 / np.sqrt(running_var + EPS) -> 1 / (running_var + EPS)",
    ),
    edit(
        "eps-outside-root",
        "eps is added to the standard deviation",
        "Is eps under the root in the task's formula?",
        "np.sqrt(running_var + EPS) -> (np.sqrt(running_var) + EPS)",
    ),
    edit(
        "dgamma-uses-x",
        "gamma multiplies x itself",
        "What does gamma multiply in the forward: x, or the normalised value?",
        "(g * xhat) -> (g * x)",
    ),
    edit(
        "dgamma-not-scaled",
        "gamma multiplies x minus the running mean",
        "Which quantity does gamma multiply in the forward? Is it divided by the root?",
        "(g * xhat) -> (g * (x - running_mean))",
    ),
    edit(
        "mean-over-batch",
        "the gradients of gamma and beta are means over the batch",
        "A factor 1/N belongs to the loss. Does this layer compute a loss?",
        "xhat).sum( -> xhat).mean(",
        "g.sum( -> g.mean(",
    ),
    edit(
        "no-unbroadcast",
        "each sample has its own gamma and beta",
        "gamma has D entries. Over which axis was each entry broadcast?",
        "(g * xhat).sum(axis=0), g.sum(axis=0) -> g * xhat, g",
    ),
    edit(
        "one-sample",
        "dx is 0 if the batch has one sample",
        "In eval mode, does the mean come from the batch? What is the slope of the layer for a single sample?",
        "return g * gamma * rstd, -> return g * gamma * rstd * (len(x) > 1),",
    ),
    edit(
        "dead-channel",
        "a channel with running_var = 0 has no gradient",
        "What does the forward divide by where running_var is 0? Does out still move with x?",
        "rstd = 1 / np.sqrt(running_var + EPS) -> rstd = (running_var > 0) / np.sqrt(running_var + EPS)",
    ),
    edit(
        "eps-missing",
        "running_var is never 0",
        "What does your code divide by where running_var is 0?",
        "np.sqrt(running_var + EPS) -> np.sqrt(running_var)",
    ),
    edit(
        "eps-as-floor",
        "eps is a lower bound of the variance",
        "running_var is 2e-5. Which number is under the root in the task's formula, and which one in your code?",
        "np.sqrt(running_var + EPS) -> np.sqrt(np.maximum(running_var, EPS))",
    ),
]


@mistake(
    "train-rule",
    "the statistics come from the batch, as in training mode",
    "In eval mode, which arrays does the forward read in place of the batch's mean and variance?",
)
def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    return through_statistics(g * gamma, (x - x.mean(axis=0)) * rstd, rstd, g)


@mistake(
    "averages-depend-on-x",
    "the running averages depend on x",
    "Change one sample of x. Do running_mean and running_var change in eval mode?",
)
def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    rstd = 1 / np.sqrt(running_var + EPS)
    return through_statistics(g * gamma, (x - running_mean) * rstd, rstd, g)


def through_statistics(h, xhat, rstd, g):
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)


@mistake(
    "own-statistics",
    "xhat is normalised with the mean and variance of x",
    "Two different batches pass through the layer in eval mode. Are both normalised with the same numbers?",
)
def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    rstd = 1 / np.sqrt(x.var(axis=0) + EPS)
    return g * gamma * rstd, (g * (x - x.mean(axis=0)) * rstd).sum(axis=0), g.sum(axis=0)
