"""Treat both labels at once. Let s = x for label 1 and s = -x for label 0. Because 1 - σ(x) = σ(-x), the probability of
the right class is p = σ(s) in both cases. Write q for 1 - p and γ for gamma. One element has the loss -q^γ log p. The
slopes of its parts with respect to s are

    dp/ds = pq,    dq/ds = -pq,    d(log p)/ds = q

The product rule gives

    d/ds [-q^γ log p]  =  γ q^(γ-1) · pq · log p - q^γ · q  =  q^γ · (γ p log p - q)

The chain rule from x to s multiplies by the sign, 1 for label 1 and -1 for label 0. The mean divides by n. In the
code, `np.where` takes a label of 1 as true and a label of 0 as false.

For γ = 0 the slope with respect to s is -q. The slope with respect to x is then σ(x) - t, as for the ordinary
cross-entropy. The first term of the bracket comes from the factor q^γ, which depends on x too. Both terms are at most
0, so the slope with respect to s is never positive.

The form on the right has no division and no power below γ. Each part can be computed without overflow: log p = -log(1 +
e^-s) by `np.logaddexp`, p = exp(log p), and q = exp(-log(1 + e^s)). A backward that first computes dL/dp fails: dL/dp
contains q^γ/p, which is 1/0 at s = -1000. dL/dp also contains q^(γ-1), which is 0 to a negative power at s = 1000 if γ
< 1.

Cost: two logaddexp, two exponentials, a power and about ten other operations per element. The forward needs nearly the
same. Only x and t are saved.

PyTorch: PyTorch itself has no focal loss. If you write the loss with `sigmoid` and `log`, the gradient is NaN where p
is 0. In float32 this happens at x = -200 and t = 1. For gamma between 0 and 1, the gradient is also NaN where p is 1.
Use `F.logsigmoid(s)` for log p and `F.logsigmoid(-s)` for log q, with q^γ = exp(γ log q).

Asked next:

- Let γ = 2 and p = 0.9. By which factors are the loss and the gradient smaller than those of the cross-entropy? → The
  loss is 100 times smaller, because (1 - 0.9)² = 0.01. The gradient is only 34.5 times smaller, because the slope of
  (1 - p)² adds a second term.
- Is the gradient of the focal loss always smaller than that of the cross-entropy? → No. For γ = 2 the gradient is
  larger if p is below 0.30. At p = 0.1 it is 1.22 times as large.
- Almost all examples of a detector are background. Which bias should its last layer start with? → Choose a small
  probability of the foreground, such as 0.01. The bias is then -log(0.99/0.01) = -4.6. With the bias 0, every
  background element starts at p = 0.5, and the sum of their losses dominates the first steps.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, uniform

HINTS = (
    (
        "How can you write p as the sigmoid of one number for both labels? Which factors of the loss depend on this "
        "number?"
    ),
    (
        "Let p = σ(s). With respect to s, the slope of p is p(1 - p), and the slope of log p is 1 - p. Use the product "
        "rule."
    ),
    "With q = 1 - p, the slope with respect to s is `q**gamma` times a bracket. One term of the bracket is `-q`.",
)


def labels(rng, shape, _):
    return rng.integers(0, 2, shape).astype(float)


def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-10, 11, shape)


WRT = ("x",)
MODERATE = [4.5, 4.5, -4.5, -4.5, 7.0, 7.0, -7.0, -7.0, 12.0, 12.0, -12.0, -12.0, 20.0, 20.0, -20.0, -20.0]
CASES = [
    given("x[n,m] t[n,m]", t=labels, gamma=2.0, note="gamma=2"),
    given("x[n] t[n]", t=labels, gamma=0.5, large=False, note="gamma=0.5"),
    given("x[] t[]", t=1.0, gamma=1.5, large=False, note="one number"),
    given("x[n] t[n]", t=labels, gamma=0.0, large=False, note="gamma=0"),
    given("x[2,n,3] t[2,n,3]", x=uniform(-4, 4), t=labels, gamma=3.0, large=False, note="gamma=3"),
    given(
        "x[6] t[6]",
        x=[1000.0, -1000.0, 1000.0, -1000.0, 0.0, 0.0],
        t=[0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        gamma=0.5,
        smooth=False,
        note="logits of ±1000",
    ),
    given("x[n] t[n]", x=hundreds, t=labels, gamma=2.0, smooth=False, large=False, note="logits of hundreds"),
    given("x[16] t[16]", x=MODERATE, t=[0.0, 1.0] * 8, gamma=1.0, large=False, note="logits from 4 to 20"),
]


def forward(x, t, gamma):
    s = (2 * t - 1) * x
    return -(engine.exp(gamma * engine.logsigmoid(-s)) * engine.logsigmoid(s)).mean()


def focal_loss_backward(g, x, t, gamma):
    s = np.where(t, x, -x)
    log_p = -np.logaddexp(0, -s)
    q = np.exp(-np.logaddexp(0, s))
    ds = q**gamma * (gamma * np.exp(log_p) * log_p - q)
    return g * np.where(t, ds, -ds) / x.size


MISTAKES = [
    edit(
        "weight-constant",
        "the factor (1 - p)^gamma does not depend on x",
        "The loss is a product of two factors. Which of them changes if x changes?",
        "gamma * np.exp(log_p) * log_p - q -> -q",
    ),
    edit(
        "log-constant",
        "only the factor (1 - p)^gamma depends on x",
        "Set gamma = 0. What loss is left, and what is your gradient?",
        "gamma * np.exp(log_p) * log_p - q -> gamma * np.exp(log_p) * log_p",
    ),
    edit(
        "sign-negative-class",
        "p rises with x for both labels",
        "For label 0, p is 1 - σ(x). What is the slope of p with respect to x?",
        "np.where(t, ds, -ds) -> ds",
    ),
    edit(
        "negatives-as-positives",
        "p is σ(x) for both labels",
        "Take a logit of 5 with label 0. Is this example classified well?",
        "np.where(t, x, -x) -> x",
        "np.where(t, ds, -ds) -> ds",
    ),
    edit(
        "no-gamma",
        "the slope of u^gamma is u^(gamma - 1)",
        "What is the slope of u²?",
        "gamma * np.exp(log_p) -> np.exp(log_p)",
    ),
    edit(
        "power-kept",
        "differentiating (1 - p)^gamma leaves the power gamma as it is",
        "What is the slope of u²? How does the power change?",
        "gamma * np.exp(log_p) * log_p - q -> gamma * q * np.exp(log_p) * log_p - q",
    ),
    edit(
        "plus",
        "the slope of (1 - p)^gamma with respect to p is positive",
        "Does 1 - p rise or fall if p rises?",
        "gamma * np.exp(log_p) * log_p - q -> -gamma * np.exp(log_p) * log_p - q",
    ),
    edit(
        "weight-of-p",
        "the factor is p^gamma",
        "An example is classified well, with p = 0.99. Should it count much or little?",
        "ds = ... -> ds = -np.exp(gamma * log_p) * q * (1 + gamma * log_p)",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the elements",
        "If every element is in the batch twice, should the gradient of an element stay the same?",
        " / x.size ->",
    ),
    edit(
        "batch-N",
        "the mean runs over the first axis only",
        "For x of shape (2, 3), by which number does the mean divide?",
        "x.size -> len(x)",
    ),
    edit(
        "power-of-zero",
        "(1 - p)^(gamma - 1) is finite",
        "Let p be 1 and gamma be 0.5. What is (1 - p)^(gamma - 1), and what is 0 times that number?",
        "ds = ... -> ds = gamma * q ** (gamma - 1) * np.exp(log_p) * q * log_p - q**gamma * q",
    ),
]


def sigmoid(x):
    return (1 + np.tanh(x / 2)) / 2


@mistake(
    "log-of-zero",
    "p and 1 - p are never 0 in floating point",
    "What is p at x = -1000 and t = 1? What do log p and 1/p give?",
)
def focal_loss_backward(g, x, t, gamma):
    sign = 2 * t - 1
    p = sigmoid(sign * x)
    slope = gamma * (1 - p) ** (gamma - 1) * np.log(p) - (1 - p) ** gamma / p
    return g * sign * p * (1 - p) * slope / x.size


@mistake(
    "clipped",
    "clipping p only prevents a division by 0",
    "At x = -1000 and t = 1 the slope of the loss is -1. What is p(1 - p) in your code there?",
)
def focal_loss_backward(g, x, t, gamma):
    sign = 2 * t - 1
    p = sigmoid(sign * x)
    c = np.clip(p, 1e-6, 1 - 1e-6)
    slope = gamma * (1 - c) ** (gamma - 1) * np.log(c) - (1 - c) ** gamma / c
    return g * sign * p * (1 - p) * slope / x.size


@mistake(
    "probability-gradient",
    "the gradient with respect to p is the answer",
    "You have dL/dp. Which step leads from x to p?",
)
def focal_loss_backward(g, x, t, gamma):
    sign = 2 * t - 1
    p = np.clip(sigmoid(sign * x), 1e-6, 1 - 1e-6)
    slope = gamma * (1 - p) ** (gamma - 1) * np.log(p) - (1 - p) ** gamma / p
    return g * sign * slope / x.size
