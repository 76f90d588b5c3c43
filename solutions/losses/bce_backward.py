"""The slope of log p is 1/p, and the slope of log(1 - p) is -1/(1 - p). One element of the sum has the slope

    -t/p + (1 - t)/(1 - p)  =  (-t(1 - p) + (1 - t)p) / (p(1 - p))  =  (p - t) / (p(1 - p))

The numerator is prediction minus target. The denominator is the slope of the sigmoid, written in terms of its output.
If p = σ(x), multiplying the quotient by this slope gives p - t, the gradient with respect to the logit.

The denominator is small if p is near 0 or 1. With a denominator of at least 1e-12, the right prediction p = t = 1 has
the gradient 0 instead of 0/0. The wrong prediction p = 0 at t = 1 has the gradient -1e12 · g/n, with the right sign.

Only a lower limit for the common denominator gives these values. Clipping p to [1e-12, 1 - 1e-12] changes the numerator
too: at p = t = 0 the quotient is then 1. In float32, 1 - 1e-12 rounds to 1, so clipping does not even prevent the
division by 0.

Cost: seven operations per element, without any exponential or logarithm. The forward takes two logarithms per element.
Only p and t are saved.

PyTorch: `F.binary_cross_entropy` replaces a logarithm below -100 by -100, so the loss of one element is at most 100.
`BinaryCrossEntropyBackward0` saves p and t, and divides p - t by max(p(1 - p), 1e-12). This quotient is not the
derivative of the limited logarithm, which is 0 wherever the limit applies. At p = 0 and t = 1 the loss is 100 and the
gradient is -1e12. Probabilities outside [0, 1] raise a `RuntimeError`.

Asked next:

- In float32, a model computes p = σ(x) with x = -200, and the target is 1. Which gradient reaches x, and which gradient
  would `binary_cross_entropy_with_logits` give? → σ(-200) underflows to 0. The loss passes back -1e12, and the backward
  of the sigmoid multiplies it by p(1 - p) = 0. So x gets the gradient 0, although the prediction is as wrong as
  possible. `binary_cross_entropy_with_logits` gives -1.
- The target is 1 and p tends to 1 from below. Does the gradient with respect to p tend to 0? → No. This gradient is
  -1/p, which tends to -1. Only the gradient with respect to the logit tends to 0, because its factor σ' tends to 0. At
  p = 1 exactly, the convention gives 0.
- Why do other implementations add 1e-12 inside the logarithms, and what changes? → -log(p + ε) is smooth and finite at
  p = 0, with the slope -1/ε there. With ε, the loss at p = 0 and t = 0 has the slope 1, which is the exact slope of
  -log(1 - p). With PyTorch's convention this slope is 0. In float32, 1 + 1e-12 rounds to 1, so the ε only matters if p
  or 1 - p is tiny.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, uniform

HINTS = (
    (
        "The loss contains p twice. What is the slope of each of the two logarithms, and what is the slope of the loss "
        "as one fraction?"
    ),
    "The numerator is prediction minus target. The denominator is p(1 - p), or 1e-12 if p(1 - p) is smaller.",
    "Divide `p - t` by `np.maximum(..., 1e-12)`, then scale by g and by the number of elements.",
)


def labels(rng, shape, _):
    """Draw targets of exactly 0 and 1."""
    return rng.integers(0, 2, shape).astype(float)


def edges(rng, shape, _):
    """Draw probabilities of exactly 0 and 1, and some in between."""
    return rng.choice([0.0, 1.0, 0.0, 1.0, 0.5, 0.125], shape)


WRT = ("p",)
CASES = [
    given("p[n,m] t[n,m]", p=uniform(0.05, 0.95), t=uniform(0, 1), note="targets between 0 and 1"),
    given("p[n] t[n]", p=uniform(0.05, 0.95), t=labels, note="labels"),
    given("p[n,3] t[n,3]", p=edges, t=labels, smooth=False, large=False, note="p exactly 0 or 1"),
    given(
        "p[4] t[4]",
        p=[2e-12, 5e-13, 1e-9, 3e-12],
        t=[1.0, 1.0, 0.0, 0.5],
        smooth=False,
        note="p near 0",
    ),
    given("p[2] t[2]", p=[0.0, 1.0], t=[0.0, 1.0], smooth=False, large=False, note="p = t at 0 and 1"),
    given("p[] t[]", p=uniform(0.05, 0.95), t=uniform(0, 1), large=False, note="one number"),
]
MISTAKES = [
    edit(
        "logit-rule",
        "the gradient with respect to p equals the gradient with respect to the logit",
        "p - t is the gradient with respect to the logit. Which factor leads from the logit to p?",
        " / np.maximum(p * (1 - p), 1e-12) ->",
    ),
    edit(
        "one-term",
        "only positive examples have a loss",
        "A negative example is predicted with p = 0.9. Which term of the loss corrects it?",
        "(p - t) / np.maximum(p * (1 - p), 1e-12) -> -t / np.maximum(p, 1e-12)",
    ),
    edit(
        "nan-at-edge",
        "p is never exactly 0 or 1",
        "What is (p - t)/(p(1 - p)) at p = t = 1?",
        "np.maximum(p * (1 - p), 1e-12) -> (p * (1 - p))",
    ),
    edit(
        "epsilon",
        "1e-12 is added to the denominator",
        "Take p = 2e-12. What is your denominator, and what should it be?",
        "np.maximum(p * (1 - p), 1e-12) -> (p * (1 - p) + 1e-12)",
    ),
    edit(
        "clipped",
        "p itself must be clipped, not the denominator",
        "At p = t = 0, the loss cannot fall any further. What is your numerator there?",
        "return ... -> q = np.clip(p, 1e-12, 1 - 1e-7); return g * (q - t) / (q * (1 - q)) / p.size",
    ),
    edit(
        "two-floors",
        "the slope at p = t = 0 or p = t = 1 is not 0",
        "At p = t = 1, what are the numerator and the denominator of the single fraction? What does your code give?",
        "(p - t) / np.maximum(p * (1 - p), 1e-12) -> ((1 - t) / np.maximum(1 - p, 1e-12) - t / np.maximum(p, 1e-12))",
    ),
    edit(
        "edge-is-flat",
        "the loss is constant where the denominator is too small",
        "At p = 0 and t = 1, descent should raise p. Does a descent step with your gradient raise p?",
        "g * (p - t) -> g * (p - t) * (p * (1 - p) >= 1e-12)",
    ),
    edit(
        "no-complement",
        "the denominator is p",
        "At p near 1 and t = 0 the loss is steep. What does your code divide by?",
        "p * (1 - p) -> p",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the elements",
        "If every element is in the batch twice, should the gradient of an element stay the same?",
        " / p.size ->",
    ),
    edit(
        "batch-N",
        "the mean runs over the first axis only",
        "For p of shape (2, 3), by which number does the mean divide?",
        "p.size -> (len(p) if p.ndim else 1)",
    ),
    edit(
        "sign",
        "the numerator is target minus prediction",
        "At t = 0, which sign does the slope have?",
        "p - t -> t - p",
    ),
    edit(
        "clipped-on-both-sides",
        "p itself must be kept 1e-12 away from 0 and 1",
        "At p = t = 0, the loss cannot fall any further. What is your numerator there?",
        "return ... -> q = np.clip(p, 1e-12, 1 - 1e-12); return g * (q - t) / (q * (1 - q)) / p.size",
    ),
    edit(
        "epsilon-in-each-fraction",
        "1e-12 is added to p and to 1 - p",
        "Take p = 2e-12. What is the denominator of your first fraction, and which denominator does the task ask for?",
        "(p - t) / np.maximum(p * (1 - p), 1e-12) -> ((1 - t) / (1 - p + 1e-12) - t / (p + 1e-12))",
    ),
    edit(
        "larger-floor",
        "any small number can replace a small denominator",
        "Which number does the task name? At p = 0 and t = 1, by which factor is your slope too small?",
        "1e-12 -> 1e-7",
    ),
    edit(
        "clipped-further",
        "p must be kept 1e-7 away from 0 and 1",
        "Which number does the task limit, p or the denominator, and at which value?",
        "return ... -> q = np.clip(p, 1e-7, 1 - 1e-7); return g * (q - t) / (q * (1 - q)) / p.size",
    ),
    edit(
        "floor-at-0-only",
        "only a denominator of exactly 0 is too small",
        "Take p = 5e-13. What is p(1 - p), and which denominator does the task ask for?",
        "np.maximum(p * (1 - p), 1e-12) -> np.where(p * (1 - p) == 0, p.dtype.type(1e-12), p * (1 - p))",
    ),
    edit(
        "floor-after-n",
        "the limit applies to the denominator times n",
        "The limit is for the fraction without 1/n. At p = 0 with n = 6, which denominator does one summand get?",
        "np.maximum(p * (1 - p), 1e-12) / p.size -> np.maximum(p * (1 - p) * p.size, 1e-12)",
    ),
    edit(
        "last-axis-N",
        "the mean runs over the last axis only",
        "For p of shape (2, 3), by which number does the mean divide?",
        "p.size -> (p.shape[-1] if p.ndim else 1)",
    ),
    edit(
        "fractions-added",
        "both logarithms push p in the same direction",
        "At t = 0, only log(1 - p) counts. Which sign does its slope with respect to p have?",
        "(p - t) / np.maximum(p * (1 - p), 1e-12) -> -(t / np.maximum(p, 1e-12) + (1 - t) / np.maximum(1 - p, 1e-12))",
    ),
    edit(
        "hard-targets",
        "every target is 0 or 1",
        "A target of 0.3 is not a label. At which p is the loss smallest?",
        "(p - t) -> (p - (t > 0.5))",
    ),
]


def forward(p, t):
    # The engine's own loss has the slope of the limited logarithm at 0 and 1, which PyTorch's backward does not have.
    fixed = engine.stop_gradient(p)
    inside = fixed * (1 - fixed) >= 1e-12
    q = engine.where(inside, p, 0.5)
    line = p * ((fixed - t) / 1e-12)
    return engine.where(inside, -(t * engine.log(q) + (1 - t) * engine.log(1 - q)), line).mean()


def bce_backward(g, p, t):
    return g * (p - t) / np.maximum(p * (1 - p), 1e-12) / p.size
