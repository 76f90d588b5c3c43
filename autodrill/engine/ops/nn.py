"""Neural-network operations, under PyTorch's functional names."""

from __future__ import annotations

import math
from typing import Any, Literal

from autodrill.engine.backend import Array, Namespace, backend_of
from autodrill.engine.ops.elementwise import erf, exp, multiply, tanh, where
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.reduce import mean, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import expand_dims, squeeze
from autodrill.engine.primitive import primitive
from autodrill.engine.tensor import raw

Reduction = Literal["none", "mean", "sum"]


@primitive
def relu(xp: Namespace, x: Array) -> Array:
    """Return max(x, 0); its subgradient at 0 is 0."""
    return xp.maximum(x, 0)


relu.vjp(x=lambda g, out: where(out > 0, g, 0))
relu.jvp("elementwise")


@primitive
def sigmoid(xp: Namespace, x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow."""
    small = xp.exp(-xp.absolute(x))
    return xp.where(x >= 0, 1, small) / (1 + small)


sigmoid.vjp(x=lambda g, out: g * (out * (1 - out)))
sigmoid.jvp("elementwise")


@primitive
def softplus(xp: Namespace, x: Array) -> Array:
    """Return log(1 + exp(x)), without overflow."""
    return xp.logaddexp(x, x.dtype.type(0))


softplus.vjp(x=lambda g, x: g * sigmoid(x))
softplus.jvp("elementwise")


def _silu_slope(x: Array) -> Array:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


@primitive
def silu(xp: Namespace, x: Array) -> Array:
    """Return x sigmoid(x), also called swish."""
    small = xp.exp(-xp.absolute(x))
    return x * (xp.where(x >= 0, 1, small) / (1 + small))


silu.vjp(x=lambda g, x: g * _silu_slope(x))
silu.jvp("elementwise")


def _gelu_slope(x: Array) -> Array:
    cdf = 0.5 * (1 + erf(x * math.sqrt(0.5)))
    return cdf + x * (math.sqrt(0.5 / math.pi) * exp(-0.5 * x * x))


@primitive
def _gelu(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - erf is in neither namespace
    return 0.5 * x * (1 + backend_of(x).erf(x * math.sqrt(0.5)))


_gelu.vjp(x=lambda g, x: g * _gelu_slope(x))
_gelu.jvp("elementwise")


def gelu(x: Array, approximate: Literal["none", "tanh"] = "none") -> Any:
    """Return x Φ(x), Φ the normal distribution function (Hendrycks and Gimpel, 2016).

    Args:
        x: Values of any shape.
        approximate: `"tanh"` for that paper's approximation by a hyperbolic tangent.
    """
    if approximate == "none":
        return _gelu(x)
    if approximate != "tanh":
        raise ValueError(f"`approximate` is `none` or `tanh`, not `{approximate}`")
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * multiply(x, multiply(x, x)))))


def _softmax_differential(d: Array, out: Array, axis: int) -> Array:
    """Apply softmax's Jacobian, diag(out) - out outᵀ, which is symmetric: VJP and JVP are the same."""
    return out * (d - sum(out * d, axis=axis, keepdims=True))


def _raw_softmax(xp: Namespace, x: Array, axis: int) -> Array:
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


@primitive
def softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return exp(x) normalised to sum 1 along `axis`, without overflow."""
    return _raw_softmax(xp, x, axis)


softmax.vjp(x=lambda g, out, axis: _softmax_differential(g, out, axis=axis))
softmax.jvp(lambda dx, out, axis: _softmax_differential(dx, out, axis=axis))


def _raw_log_softmax(xp: Namespace, x: Array, axis: int) -> Array:
    shifted = x - xp.max(x, axis=axis, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


@primitive
def log_softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return log softmax(x) along `axis`, without overflow or underflow."""
    return _raw_log_softmax(xp, x, axis)


log_softmax.vjp(x=lambda g, out, axis: g - exp(out) * sum(g, axis=axis, keepdims=True))
log_softmax.jvp(lambda dx, out, axis: dx - sum(exp(out) * dx, axis=axis, keepdims=True))


def _checked_target(scores: Array, target: Any, reduction: str) -> tuple[Array, int]:
    """Return integer labels as an array and the class axis of `scores`, or say what does not fit."""
    scores = raw(scores)
    labels = backend_of(scores).xp.asarray(raw(target))
    if reduction not in {"none", "mean", "sum"}:
        raise ValueError(f"`reduction` is `none`, `mean` or `sum`, not `{reduction}`")
    if labels.dtype.kind not in "iu":
        raise TypeError(f"the target holds class labels, integers, not `{labels.dtype}`")
    if scores.ndim == 0:
        raise ValueError("the scores need a class axis, these are 0-d")
    axis = 0 if scores.ndim == 1 else 1
    expected = scores.shape[:axis] + scores.shape[axis + 1 :]
    if labels.shape != expected:
        raise ValueError(f"the target has shape {labels.shape}; scores of shape {scores.shape} ask for {expected}")
    classes = scores.shape[axis]
    if labels.size and (int(labels.min()) < 0 or int(labels.max()) >= classes):
        raise ValueError(f"a label is outside 0..{classes - 1}, the classes of scores of shape {scores.shape}")
    return labels, axis


def _reduced(losses: Array, reduction: Reduction) -> Any:
    return losses if reduction == "none" else mean(losses) if reduction == "mean" else sum(losses)


def nll_loss(log_probs: Array, target: Any, reduction: Reduction = "mean") -> Any:
    """Return minus the log-probability of each target class.

    Args:
        log_probs: Log-probabilities, shape (N, C) or (C,), or (N, C, d1, ...).
        target: Integer labels, of that shape without the class axis.
        reduction: `"mean"` over the labels, `"sum"`, or `"none"` for the losses themselves.

    Raises:
        TypeError: The target is not of an integer dtype.
        ValueError: Shapes do not fit, a label is out of range, or the reduction is unknown.
    """
    labels, axis = _checked_target(log_probs, target, reduction)
    picked = squeeze(take_along_axis(log_probs, expand_dims(labels, axis), axis), axis)
    return _reduced(-picked, reduction)


def _cross_entropy_slope(logits: Array, target: Array, axis: int) -> Array:
    """Return softmax(logits) - onehot(target)."""
    classes = backend_of(target).xp.arange(logits.shape[axis])
    classes = classes.reshape([-1 if k == axis else 1 for k in range(logits.ndim)])
    onehot = (classes == expand_dims(target, axis)).astype(logits.dtype)
    return softmax(logits, axis) - onehot


@primitive
def _cross_entropy(xp: Namespace, logits: Array, target: Array, *, axis: int) -> Array:
    top = xp.max(logits, axis=axis, keepdims=True)
    shifted = logits - top
    picked = xp.take_along_axis(shifted, xp.expand_dims(target, axis), axis)
    return xp.squeeze(xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True)) - picked, axis)


_cross_entropy.vjp(
    logits=lambda g, logits, target, axis: expand_dims(g, axis) * _cross_entropy_slope(logits, raw(target), axis),
    target=None,
)
_cross_entropy.jvp(
    lambda dlogits, logits, target, axis: sum(dlogits * _cross_entropy_slope(logits, raw(target), axis), axis=axis)
)


def cross_entropy(logits: Array, target: Any, reduction: Reduction = "mean") -> Any:
    """Return -log softmax(logits)[target], finite for logits of any size.

    Args:
        logits: Unnormalised scores, shape (N, C) or (C,), or (N, C, d1, ...).
        target: Integer labels, of that shape without the class axis.
        reduction: `"mean"` over the labels, `"sum"`, or `"none"` for the losses themselves.

    Raises:
        TypeError: The target is not of an integer dtype.
        ValueError: Shapes do not fit, a label is out of range, or the reduction is unknown.
    """
    labels, axis = _checked_target(logits, target, reduction)
    return _reduced(_cross_entropy(logits, labels, axis=axis), reduction)
