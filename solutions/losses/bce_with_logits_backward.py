"""Differentiate the two logarithms with respect to the logit. The slope of the sigmoid is σ' = σ(1 - σ), so

    d/dx log σ(x) = σ'/σ = 1 - σ(x)        d/dx log(1 - σ(x)) = -σ'/(1 - σ) = -σ(x)

One element of the sum therefore has the slope

    (1 - t) · σ(x) - w · t · (1 - σ(x))

The mean divides this slope by n, and the chain rule multiplies it by g. For w = 1 the terms with t·σ cancel, and the
slope is σ(x) - t, the prediction minus the target. For any w, no division by a probability remains. The factor σ' has
cancelled p and 1 - p, so the slope is finite even if a probability is 0.

The code computes the sigmoid as (1 + tanh(x/2))/2, which is finite for every x. The form e^x/(1 + e^x) would be inf/inf
at x = 1000.

Cost: one tanh and about ten other operations per element. The forward takes an exponential and a logarithm per element.
Only x and t are saved.

PyTorch: `F.binary_cross_entropy_with_logits` is one node, `BinaryCrossEntropyWithLogitsBackward0`, which saves the
logits, the targets and `pos_weight`. `pos_weight` is a tensor that broadcasts, often with one weight per class. The
targets must be floating-point numbers, and they can receive a gradient too. PyTorch computes the slope from σ(x). In
float32, PyTorch's gradient for x = 40 and t = 1 is 0, whereas the exact value is -4e-18.

Asked next:

- Why is the squared error (σ(x) - t)² of the probability a poor loss here? → The slope of the squared error contains
  σ', which is almost 0 for a confident prediction. At x = -20 and t = 1 the slope is -4e-9, although the prediction is
  wrong. The slope of the cross-entropy is -1 there.
- For inputs that look the same, a share s of the labels is 1. Which probability does training with pos_weight w
  produce? → The slope is 0 if (1 - s)·p = w·s·(1 - p), so the odds p/(1 - p) are w times the true odds. For s = 0.1 and
  w = 9 the prediction is 0.5. To get calibrated probabilities back, subtract log w from the logit.
- In float32, above which logit does σ(x) - 1 come out as 0, and which formula avoids this? → With the tanh, the
  difference is 0 above about 17.3. With 1/(1 + exp(-x)) or `torch.sigmoid`, it is 0 above about 16.6. The term for t
  = 1 is -w·σ(-x), and exp(-logaddexp(0, x)) computes σ(-x) with a relative error below 1e-6.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, uniform

HINTS = (
    (
        "The loss contains log σ(x) and log(1 - σ(x)). After σ' has cancelled, what is the slope of each logarithm "
        "with respect to x?"
    ),
    (
        "log σ has the slope 1 - σ, and log(1 - σ) has the slope -σ. Give each slope the weight that its term has in "
        "the loss."
    ),
    "Compute p = σ(x) from tanh(x / 2). Start with `(1 - t) * p` and subtract the term with `pos_weight`.",
)


def labels(rng, shape, _):
    """Draw targets of exactly 0 and 1."""
    return rng.integers(0, 2, shape).astype(float)


def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-10, 11, shape)


WRT = ("x",)
CASES = [
    given("x[n,m] t[n,m]", t=uniform(0, 1), note="targets between 0 and 1"),
    given("x[n] t[n]", t=labels, pos_weight=3.0, note="pos_weight=3"),
    given("x[k,n,2] t[k,n,2]", t=uniform(0, 1), pos_weight=0.25, large=False, note="pos_weight=0.25"),
    given("x[n,3] t[n,3]", x=hundreds, t=labels, pos_weight=2.0, smooth=False, large=False, note="logits of ±1000"),
    given("x[] t[]", t=uniform(0, 1), pos_weight=2.0, large=False, note="one number"),
    given("x[4] t[4]", x=[0.0, 1000.0, -1000.0, 0.0], t=[0.0, 0.0, 1.0, 1.0], smooth=False, note="chosen points"),
    given(
        "x[8] t[8]",
        x=[4.5, -4.5, 7.0, -7.0, 12.0, -12.0, 20.0, -20.0],
        t=[1.0, 0.0, 0.5, 0.5] * 2,
        note="logits from 4 to 20",
    ),
]
MISTAKES = [
    edit(
        "weight-by-label",
        "an element with t > 0.5 is a positive one, and w multiplies its whole loss",
        "Take t = 0.7. By which number does the loss multiply log p, and by which number log(1 - p)?",
        "dx = ... -> dx = np.where(t > 0.5, pos_weight * (p - t), p - t)",
    ),
    edit(
        "weight-of-the-element",
        "both terms of an element's loss have the same weight, 1 + (w - 1)·t",
        "Take t = 0.5. By which number does the loss multiply log p, and by which number log(1 - p)?",
        "dx = ... -> dx = (1 + (pos_weight - 1) * t) * (p - t)",
    ),
    edit(
        "divides-by-weights",
        "the mean divides by the sum of the weights",
        "By which number does the L of the task divide: by n, or by the sum of the weights?",
        "x.size -> (pos_weight * t + 1 - t).sum()",
    ),
    edit(
        "ignores-weight",
        "`pos_weight` does not affect the gradient",
        "Double w in the loss. Which term doubles?",
        "pos_weight * t -> t",
    ),
    edit(
        "weights-all",
        "w multiplies the loss of negatives too",
        "Set t = 0 in the loss. Does w remain?",
        "dx = ... -> dx = pos_weight * (p - t)",
    ),
    edit(
        "weight-on-the-target",
        "the slope is always σ(x) minus a weighted target",
        "Take t = 1, w = 3 and a confident right prediction, p = 1. What should the slope be, and what is yours?",
        "dx = ... -> dx = p - pos_weight * t",
    ),
    edit(
        "through-sigmoid",
        "the result must still be multiplied by the slope of the sigmoid",
        "σ(x) - t is already the slope with respect to the logit. Where did σ' cancel?",
        "return ... -> return g * dx * p * (1 - p) / x.size",
    ),
    edit(
        "probability-gradient",
        "the gradient with respect to the probability is the answer",
        "Your code divides by p and by 1 - p. Which factor of the chain rule, from p to x, cancels these divisions?",
        "dx = ... -> q = np.clip(p, 1e-6, 1 - 1e-6); dx = (1 - t) / (1 - q) - pos_weight * t / q",
    ),
    edit(
        "naive-exp",
        "exp(x) is finite for every logit",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "p = ... -> p = np.exp(x) / (1 + np.exp(x))",
    ),
    edit(
        "one-term",
        "only positive examples have a loss",
        "A negative example is predicted as positive. Which term of the loss corrects it?",
        "(1 - t) * p - -> -",
    ),
    edit(
        "rounded-target",
        "every target is 0 or 1",
        "Take t = 0.7 and p = 0.7. What should the slope be with w = 1?",
        "dx = ... -> dx = np.where(t > 0.5, pos_weight * (p - 1), p)",
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
        "x.size -> (len(x) if x.ndim else 1)",
    ),
    edit(
        "sign",
        "the gradient is the target minus the prediction",
        "At t = 0, which sign does the slope have?",
        "g * -> -g *",
    ),
    edit(
        "divides-by-p",
        "dL/dp times p(1 - p) is finite for every logit",
        "At x = 1000, p is 1 in floating point. Which divisor in dL/dp is then 0, and what is 0 divided by 0?",
        "p = ... -> p = 1 / (1 + np.exp(-x))",
        "dx = ... -> dx = ((1 - t) / (1 - p) - pos_weight * t / p) * p * (1 - p)",
    ),
    edit(
        "divides-by-rounded-p",
        "p = (1 + tanh(x/2))/2 is never 0",
        "tanh rounds to -1 for x = -100. What is p then, and what is 0 divided by 0?",
        "dx = ... -> dx = ((1 - t) / (1 - p) - pos_weight * t / p) * p * (1 - p)",
    ),
    edit(
        "no-slope-beyond-limit",
        "a logit beyond some limit has no gradient",
        "Let t be 1. What does the loss do as x falls from -100 to -1000, and what is its slope there?",
        "dx = ... -> dx = ((1 - t) * p - pos_weight * t * (1 - p)) * (np.abs(x) <= 30)",
    ),
    edit(
        "p-clipped",
        "p can be kept away from 0 and 1 without a change of the slope",
        "The slope of a confident right element is nearly 0. By how much does your limit on p change this slope?",
        "p = ... -> p = np.clip((1 + np.tanh(x / 2)) / 2, 1e-7, 1 - 1e-7)",
    ),
    edit(
        "saturated-beyond-4",
        "beyond ±4 the sigmoid is exactly 0 or 1",
        "How far from 1 is σ(4.5)? Is that within rounding?",
        "p = ... -> p = np.where(np.abs(x) > 4, x > 0, (1 + np.tanh(x / 2)) / 2).astype(x.dtype)",
    ),
]


def forward(x, t, pos_weight=1.0):
    return engine.binary_cross_entropy_with_logits(x, t, pos_weight=pos_weight)


def bce_with_logits_backward(g, x, t, pos_weight=1.0):
    p = (1 + np.tanh(x / 2)) / 2
    dx = (1 - t) * p - pos_weight * t * (1 - p)
    return g * dx / x.size
