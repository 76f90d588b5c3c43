"""Losses for regression, probabilities, margins and distances, under PyTorch's functional names.

`reduction` is `"mean"`, `"sum"`, or `"none"` for the losses themselves. Predictions and targets broadcast.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.activation import logsigmoid, relu, softplus
from autodrill.engine.ops.elementary import xlogy
from autodrill.engine.ops.elementwise import exp, log, maximum, minimum, sqrt, square, subtract, where
from autodrill.engine.ops.loss import reduced
from autodrill.engine.ops.norms import pairwise_distance
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.reduce import mean, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace
    from autodrill.engine.ops.loss import Reduction

# fmt: off
__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "gaussian_nll_loss",
    "hinge_embedding_loss", "huber", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss",
    "multilabel_soft_margin_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss",
]
# fmt: on

# Regression


def mse_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return (x - target)²."""
    return reduced(square(subtract(x, target)), reduction)


def l1_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return |x - target|."""
    return reduced(absolute(subtract(x, target)), reduction)


@primitive
def huber(xp: Namespace, x: Array, *, delta: float = 1.0) -> Array:
    """Return x²/2 up to |x| = delta, and the tangent line delta (|x| - delta/2) beyond (Huber, 1964)."""
    size = xp.absolute(x)
    return xp.where(size < delta, 0.5 * x * x, delta * (size - 0.5 * delta))


def _clipped(x: Array, delta: float) -> Array:
    x_raw = raw(x)
    return where(abs(x_raw) >= delta, delta * ((x_raw > 0) * 1.0 - (x_raw < 0)).astype(x_raw.dtype), x)


huber.vjp(x=lambda g, x, delta: g * _clipped(x, delta))
huber.jvp("elementwise")


def huber_loss(x: Array, target: Array, reduction: Reduction = "mean", delta: float = 1.0) -> Any:
    """Return Huber's function of x - target: quadratic up to `delta`, linear beyond."""
    return reduced(huber(subtract(x, target), delta=delta), reduction)


def smooth_l1_loss(x: Array, target: Array, reduction: Reduction = "mean", beta: float = 1.0) -> Any:
    """Return Huber's function of x - target divided by `beta`, which tends to |x - target| as beta tends to 0."""
    if beta == 0:
        return l1_loss(x, target, reduction)
    return reduced(huber(subtract(x, target), delta=beta) / beta, reduction)


def poisson_nll_loss(
    x: Array,
    target: Array,
    reduction: Reduction = "mean",
    *,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
) -> Any:
    """Return minus the Poisson log-likelihood of counts; it includes the constant log(target!) only if `full`.

    Args:
        x: The rate, or its logarithm if `log_input`.
        target: The counts.
        reduction: See the module.
        log_input: Whether x is the logarithm of the rate.
        full: Whether to add Stirling's approximation of log(target!), for counts above 1.
        eps: Added to the rate inside the logarithm, if x is the rate.
    """
    losses = exp(x) - target * x if log_input else x - target * log(x + eps)
    if full:
        above = where(raw(target) > 1, target, 1)
        stirling = above * log(above) - above + 0.5 * log(2 * math.pi * above)
        losses = losses + where(raw(target) > 1, stirling, 0)
    return reduced(losses, reduction)


def gaussian_nll_loss(
    x: Array, target: Array, var: Array, reduction: Reduction = "mean", *, full: bool = False, eps: float = 1e-6
) -> Any:
    """Return minus the Gaussian log-likelihood of the target, with mean x and variance `var`, raised to at least `eps`.

    As in PyTorch, a variance without the last axis of x applies to all elements along that axis; otherwise it
    broadcasts. Also as in PyTorch, a variance that was raised to `eps` still gets a gradient.
    """
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = expand_dims(var, -1)
    var = var + raw(maximum(raw(var), eps) - raw(var))
    losses = 0.5 * (log(var) + square(x - target) / var)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


# Probabilities


def _clamped_log(x: Array) -> Array:
    # As in PyTorch, the logarithm is at least -100, which keeps the loss finite.
    return where(raw(x) > math.exp(-100), log(where(raw(x) > math.exp(-100), x, 1)), -100)


def binary_cross_entropy(
    probability: Array, target: Array, reduction: Reduction = "mean", *, weight: Array | None = None
) -> Any:
    """Return -(target log p + (1 - target) log(1 - p)), each logarithm at least -100."""
    losses = -(target * _clamped_log(probability) + (1 - target) * _clamped_log(1 - probability))
    return reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    logits: Array,
    target: Array,
    reduction: Reduction = "mean",
    *,
    weight: Array | None = None,
    pos_weight: Array | None = None,
) -> Any:
    """Return the binary cross-entropy of sigmoid(logits), finite for logits of any size.

    Args:
        logits: Unnormalised scores.
        target: Probabilities, or labels 0 and 1, of the same shape.
        reduction: See the module.
        weight: The weight of each loss.
        pos_weight: A factor of the positive term.
    """
    if pos_weight is None:
        losses = softplus(logits) - target * logits
    else:
        losses = (1 - target) * softplus(logits) - pos_weight * target * logsigmoid(logits)
    return reduced(losses if weight is None else losses * weight, reduction)


def kl_div(
    log_probs: Array,
    target: Array,
    reduction: Literal["none", "mean", "sum", "batchmean"] = "mean",
    *,
    log_target: bool = False,
) -> Any:
    """Return target (log target - log_probs), elementwise; its sum is the Kullback-Leibler divergence.

    Args:
        log_probs: The approximating distribution, as logarithms.
        target: The true distribution, as probabilities, or as logarithms if `log_target`.
        reduction: See the module, or `"batchmean"`: the sum divided by the length of the first axis, which is
            the mean divergence.
        log_target: Whether the target is given as logarithms.
    """
    losses = exp(target) * (target - log_probs) if log_target else xlogy(target, target) - target * log_probs
    if reduction == "batchmean":
        return sum(losses) / losses.shape[0]
    return reduced(losses, reduction)


def soft_margin_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return log(1 + exp(-target x)), the logistic loss of labels -1 and 1."""
    return reduced(softplus(-target * x), reduction)


def multilabel_soft_margin_loss(
    x: Array, target: Array, reduction: Reduction = "mean", *, weight: Array | None = None
) -> Any:
    """Return the mean over classes, the last axis, of the binary cross-entropy of sigmoid(x), each times its weight."""
    losses = softplus(x) - target * x
    return reduced(mean(losses if weight is None else losses * weight, axis=-1), reduction)


# Margins and distances


def hinge_embedding_loss(x: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 1.0) -> Any:
    """Return x for label 1 and max(0, margin - x) for label -1; as in PyTorch, their sum for any other label."""
    labels = raw(target)
    return reduced(where(labels != -1, x, 0) + where(labels != 1, relu(margin - x), 0), reduction)


def margin_ranking_loss(x: Array, y: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 0) -> Any:
    """Return max(0, margin - target (x - y)): x should rank above y for label 1, below y for label -1."""
    return reduced(relu(margin - target * (x - y)), reduction)


def cosine_embedding_loss(
    x: Array, y: Array, target: Array, reduction: Reduction = "mean", *, margin: float = 0.0
) -> Any:
    """Return 1 - cos(x, y) for label 1, and max(0, cos(x, y) - margin) for label -1."""
    # Not `cosine_similarity`: PyTorch adds 1e-12 to each square here, but there it raises each norm to at least 1e-8.
    cosine = sum(x * y, axis=-1) / sqrt((sum(x * x, axis=-1) + 1e-12) * (sum(y * y, axis=-1) + 1e-12))
    return reduced(where(raw(target) == 1, 1 - cosine, relu(cosine - margin)), reduction)


def triplet_margin_loss(
    anchor: Array,
    positive: Array,
    negative: Array,
    reduction: Reduction = "mean",
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
) -> Any:
    """Return max(0, margin + distance(anchor, positive) - distance(anchor, negative)).

    With `swap` the distance from positive to negative is used if it is smaller (Balntas et al., 2016).
    """
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced(relu(margin + near - far), reduction)
