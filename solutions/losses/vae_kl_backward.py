"""Each latent number has its own term, so the gradient contains no sum. The slope of mu²/2 is mu. With l = logvar, the
slope of the other terms is

    d/dl [-l/2 + e^l/2]  =  (e^l - 1)/2

Multiply both slopes by g/N. The divergence is summed over the d latent numbers, so d does not enter the divisor.

Both slopes are 0 at the prior, mu = 0 and l = 0. Descent pulls the mean to 0 and the variance to 1. For a large
variance, this pull grows like e^l. For a tiny variance, the pull is at most 1/2 in size.

Near l = 0, e^l is near 1, and e^l - 1 loses digits. In float32 the numbers just above 1 are 1.2e-7 apart, so at l
= 1e-6 the difference is off by at least 4.6 per cent. `np.expm1` computes this difference with full relative accuracy.
The task accepts either form.

Cost: one exponential and two products per latent number, fewer operations than in the forward. Only mu and logvar are
saved. Compared with the encoder's matrix products this cost is negligible.

PyTorch: PyTorch has no node for this term. Code usually writes the term out, as the task does, or calls
`kl_divergence(Normal(mu, std), Normal(0, 1))` of `torch.distributions` with std = exp(logvar/2). Autograd computes the
slope with respect to logvar as a difference of two numbers near 1/2. At l = 1e-6 in float32, both forms give 4.77e-7
instead of 5e-7.

Asked next:

- Why does the encoder predict the logarithm of the variance and not the variance? → exp makes any prediction a positive
  variance, without a constraint. The slope with respect to the variance, (1 - 1/var)/2, is unbounded near var = 0. For
  small variances, the slope with respect to logvar is at most 1/2 in size.
- The loss averages over the N rows and over the d numbers instead. What changes? → The gradient of this term becomes d
  times smaller, and the gradient of the reconstruction stays the same. A β-VAE weights the KL term with β. The changed
  loss is therefore a β-VAE with β = 1/d.
- Some latent numbers end with mu near 0 and logvar near 0 for every input. What happened? → This is posterior collapse.
  The decoder ignores these numbers, so only the KL term acts on them, and the KL term is smallest at the prior. Start
  with a small weight of the KL term, or do not penalise a divergence below a threshold (free bits).
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Every latent number has its own term. What are the slopes of mu², logvar and exp(logvar)?",
    (
        "The slope with respect to mu is mu, and the slope with respect to logvar is (exp(logvar) - 1)/2. Multiply "
        "both by g, and divide by the number of rows."
    ),
    "`dlogvar` is `g / (2 * N)` times a function of logvar that is 0 at the prior.",
)
CASES = [
    given("mu[N,d] logvar[N,d]"),
    given("mu[2,3] logvar[2,3]", mu=0.0, logvar=0.0, note="the prior"),
    given("mu[N,3] logvar[N,3]", mu=normal(5), logvar=normal(1, -20), large=False, note="tiny variances"),
    given("mu[2,2] logvar[2,2]", logvar=[[12.0, 25.0], [-35.0, -12.0]], note="large and small variances"),
    given("mu[1,1] logvar[1,1]", mu=[[-2.0]], logvar=[[3.0]], note="one number"),
]


def forward(mu, logvar):
    return -0.5 * (1 + logvar - mu**2 - engine.exp(logvar)).sum(axis=1).mean()


def vae_kl_backward(g, mu, logvar):
    scale = g / len(mu)
    return scale * mu, scale / 2 * np.expm1(logvar)


MISTAKES = [
    edit(
        "divides-by-d",
        "the loss averages over the latent numbers of a row",
        "Over which axis does the loss sum, and over which one does it average?",
        "len(mu) -> mu.shape[1]",
    ),
    edit(
        "mu-over-variance",
        "mu is measured in standard deviations of the encoder's distribution",
        "The formula of KL contains mu². Is this term divided by the variance?",
        "scale * mu -> scale * mu / np.exp(logvar)",
    ),
    edit(
        "reverse-divergence",
        "the divergence from N(0, 1) and the divergence to N(0, 1) are the same",
        "Which of the terms in the formula of KL contain exp(logvar)? Does your formula divide by a variance?",
        "return ... -> v = np.exp(logvar); return scale * mu / v, scale / 2 * (1 - (1 + mu**2) / v)",
    ),
    edit(
        "logvar-as-std",
        "logvar is the logarithm of the standard deviation",
        "What is exp(logvar): the variance or the standard deviation?",
        "scale / 2 * np.expm1(logvar) -> scale * np.expm1(2 * logvar)",
    ),
    edit(
        "no-half",
        "the 1/2 cancels in both gradients",
        "Differentiating mu² brings a factor of 2, which cancels the 1/2. Does exp(logvar) bring a factor of 2 too?",
        "scale / 2 -> scale",
    ),
    edit(
        "two-mu",
        "the slope of mu²/2 is 2 mu",
        "What is the slope of u²? What is half of it?",
        "scale * mu -> 2 * scale * mu",
    ),
    edit(
        "half-mu",
        "the 1/2 remains in both gradients",
        "What is the slope of mu²? What is half of it?",
        "scale * mu -> scale * mu / 2",
    ),
    edit(
        "no-one",
        "the term logvar itself has no slope",
        "At the prior, mu = 0 and logvar = 0, the divergence is smallest. Is your gradient 0 there?",
        "np.expm1(logvar) -> np.exp(logvar)",
    ),
    edit(
        "sign",
        "the loss is minus the divergence",
        "Does a descent step with your gradient move mu towards 0?",
        "scale = g -> scale = -g",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the rows",
        "If every row is in the batch twice, should the gradient of a row stay the same?",
        " / len(mu) ->",
    ),
    edit(
        "divide-by-all",
        "the mean runs over all latent numbers",
        "Over which axis does the loss sum, and over which one does it average?",
        "len(mu) -> mu.size",
    ),
    edit(
        "slope-in-var",
        "the gradient with respect to the variance is the answer",
        "Your code uses 1 - 1/var. Which step leads from logvar to the variance?",
        "np.expm1(logvar) -> -np.expm1(-logvar)",
    ),
    edit(
        "logvar-clipped",
        "a logvar above 20 may be replaced by 20",
        "Let logvar be 25. What is its gradient, and what is it at 20?",
        "np.expm1(logvar) -> np.expm1(np.clip(logvar, -30, 20))",
    ),
    edit(
        "clip-stops-gradient",
        "a logvar outside of -30 to 20 needs no gradient",
        "Let logvar be 25. Does the loss change if logvar moves?",
        "np.expm1(logvar) -> np.expm1(logvar) * ((logvar > -30) & (logvar < 20))",
    ),
]
