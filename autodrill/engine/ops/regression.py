"""Losses for regression and probabilities, under PyTorch's functional names.

`reduction` is `"mean"`, `"sum"`, or `"none"` for the losses themselves. Predictions and targets broadcast.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.activation import logsigmoid, softplus
from autodrill.engine.ops.elementary import xlogy
from autodrill.engine.ops.elementwise import exp, log, maximum, square, subtract, where
from autodrill.engine.ops.loss import reduced
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.reduce import mean, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace
    from autodrill.engine.ops.loss import Reduction

# fmt: off
__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "gaussian_nll_loss",
    "huber", "huber_loss", "kl_div", "l1_loss", "mse_loss",
    "multilabel_soft_margin_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss",
]
# fmt: on

# Regression


def mse_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return (x - target)², reduced.

    Args:
        x: Real predictions of any shape.
        target: Values that broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The losses are complex.

    Source: agrees with `torch.nn.functional.mse_loss`.
    """
    return reduced(square(subtract(x, target)), reduction)


def l1_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return |x - target|, reduced; the subgradient at 0 is 0.

    Args:
        x: Real or complex predictions of any shape.
        target: Values that broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.

    Returns:
        Real, shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.

    Source: agrees with `torch.nn.functional.l1_loss`.
    """
    return reduced(absolute(subtract(x, target)), reduction)


@primitive
def huber(xp: Namespace, x: Array, *, delta: float = 1.0) -> Array:
    """Return x²/2 up to |x| = delta, and the tangent line delta (|x| - delta/2) beyond.

    Args:
        x: Real values of any shape.
        delta: The size from which on the function is linear.

    Returns:
        The shape of x.

    Raises:
        TypeError: x is complex.

    Source: Huber (1964).
    """
    size = xp.absolute(x)
    return xp.where(size < delta, 0.5 * x * x, delta * (size - 0.5 * delta))


def _clipped(x: Array, delta: float) -> Array:
    x_raw = raw(x)
    return where(abs(x_raw) >= delta, delta * ((x_raw > 0) * 1.0 - (x_raw < 0)).astype(x_raw.dtype), x)


huber.vjp(x=lambda g, x, delta: g * _clipped(x, delta))
huber.jvp("elementwise")


def huber_loss(x: Array, target: Array, reduction: Reduction = "mean", delta: float = 1.0) -> Any:
    """Return Huber's function of x - target, reduced: quadratic up to `delta`, linear beyond; see `huber`.

    Args:
        x: Real predictions of any shape.
        target: Values that broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        delta: The size of a difference from which on the loss is linear.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The difference is complex.

    Source: Huber (1964); agrees with `torch.nn.functional.huber_loss`.
    """
    return reduced(huber(subtract(x, target), delta=delta), reduction)


def smooth_l1_loss(x: Array, target: Array, reduction: Reduction = "mean", beta: float = 1.0) -> Any:
    """Return Huber's function of x - target divided by `beta`, reduced; it tends to |x - target| as beta tends to 0.

    Args:
        x: Real predictions of any shape.
        target: Values that broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        beta: The size of a difference from which on the loss is linear; 0 for the `l1_loss`.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The difference is complex.

    Source: Girshick (2015); agrees with `torch.nn.functional.smooth_l1_loss`.
    """
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
    """Return minus the Poisson log-likelihood of counts, exp(x) - target x, reduced.

    Args:
        x: The logarithm of the rate; the rate itself unless `log_input`. Real.
        target: The counts, which broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        log_input: Whether x is the logarithm of the rate; otherwise the loss is x - target log(x + eps).
        full: Whether to add Stirling's approximation of log(target!), for counts above 1.
        eps: Added to the rate inside the logarithm, if x is the rate.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The losses are complex.

    Source: agrees with `torch.nn.functional.poisson_nll_loss`.
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
    """Return minus the Gaussian log-likelihood of the target, (log var + (x - target)² / var) / 2, reduced.

    As in PyTorch, a variance without the last axis of x applies to all elements along that axis; otherwise it
    broadcasts. Also as in PyTorch, a variance that was raised to `eps` still gets a gradient.

    Args:
        x: The means, of any shape; real.
        target: Values that broadcast against x.
        var: The variances, raised to at least `eps`.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        full: Whether to add the constant log(2π) / 2.
        eps: The smallest variance.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The losses are complex.

    Source: agrees with `torch.nn.functional.gaussian_nll_loss`.
    """
    if var.shape != x.shape and var.shape == x.shape[:-1]:
        var = expand_dims(var, -1)
    var = var + raw(maximum(raw(var), eps) - raw(var))
    losses = 0.5 * (log(var) + square(x - target) / var)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


# Probabilities


_LEAST_PRODUCT = 1e-12
"""As in PyTorch: the least p (1 - p) by which the slope in p divides."""


def _clamped_log(x: Array) -> Array:
    return where(raw(x) > math.exp(-100), log(where(raw(x) > math.exp(-100), x, 1)), -100)


def binary_cross_entropy(
    probability: Array, target: Array, reduction: Reduction = "mean", *, weight: Array | None = None
) -> Any:
    """Return -(target log p + (1 - target) log(1 - p)), each logarithm at least -100, reduced.

    The slope in p is (p - target) / max(p (1 - p), 1e-12), as in PyTorch.

    Args:
        probability: The probabilities p of the label 1, of any shape; values outside [0, 1] are not refused.
        target: Probabilities, or labels 0 and 1, that broadcast against them.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        weight: The weight of each loss; by default 1.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The losses are complex.

    Source: agrees with `torch.nn.functional.binary_cross_entropy`.
    """
    p = raw(probability)
    edge = p * (1 - p) < _LEAST_PRODUCT
    inner = where(edge, 0.5, probability)
    smooth = -(target * log(inner) + (1 - target) * log(1 - inner))
    # At the edge the value is constant in p, and a linear term of value 0 has the slope.
    value = -(target * _clamped_log(p) + (1 - target) * _clamped_log(1 - p))
    slope = (p - raw(target)) / _LEAST_PRODUCT
    losses = where(edge, value + (probability - p) * slope, smooth)
    return reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    logits: Array,
    target: Array,
    reduction: Reduction = "mean",
    *,
    weight: Array | None = None,
    pos_weight: Array | None = None,
) -> Any:
    """Return -(target log p + (1 - target) log(1 - p)) with p = sigmoid(logits), reduced; finite for any logits.

    Args:
        logits: Unnormalised real scores, of any shape.
        target: Probabilities, or labels 0 and 1, that broadcast against them.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        weight: The weight of each loss; by default 1.
        pos_weight: A factor of the positive term; by default 1.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The logits are complex.

    Source: agrees with `torch.nn.functional.binary_cross_entropy_with_logits`.
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
    """Return target (log target - log_probs), reduced; its sum is the Kullback-Leibler divergence.

    Args:
        log_probs: The approximating distribution, as logarithms.
        target: The true distribution, as probabilities, or as logarithms if `log_target`.
        reduction: `"mean"`, `"sum"`, `"none"`, or `"batchmean"`: the sum divided by the length of the first axis, which
            is the mean divergence.
        log_target: Whether the target is given as logarithms.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: The losses are complex.

    Source: Kullback and Leibler (1951); agrees with `torch.nn.functional.kl_div`.
    """
    losses = exp(target) * (target - log_probs) if log_target else xlogy(target, target) - target * log_probs
    if reduction == "batchmean":
        return sum(losses) / losses.shape[0]
    return reduced(losses, reduction)


def soft_margin_loss(x: Array, target: Array, reduction: Reduction = "mean") -> Any:
    """Return log(1 + exp(-target x)), the logistic loss of labels -1 and 1, reduced.

    Args:
        x: Real scores of any shape.
        target: Labels -1 and 1, which broadcast against x.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.

    Returns:
        Shape (), or the common shape for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.soft_margin_loss`.
    """
    return reduced(softplus(-target * x), reduction)


def multilabel_soft_margin_loss(
    x: Array, target: Array, reduction: Reduction = "mean", *, weight: Array | None = None
) -> Any:
    """Return the mean over classes of the binary cross-entropy of sigmoid(x), each times its weight, reduced.

    Args:
        x: Real scores, shape (..., C).
        target: Labels 0 and 1, of x's shape.
        reduction: `"mean"`, `"sum"`, or `"none"` for the losses themselves.
        weight: The weight of each class, shape (C,); by default 1.

    Returns:
        Shape (), or (...) for `"none"`.

    Raises:
        ValueError: The shapes do not broadcast, or the reduction is unknown.
        TypeError: x is complex.

    Source: agrees with `torch.nn.functional.multilabel_soft_margin_loss`.
    """
    losses = softplus(x) - target * x
    return reduced(mean(losses if weight is None else losses * weight, axis=-1), reduction)
