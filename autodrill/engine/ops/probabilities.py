"""Softmax and its logarithm: probabilities from scores, normalised over an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import floating
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.elementwise import exp, negative
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["log_softmax", "softmax", "softmin"]


def _softmax_differential(d: Array, out: Array, axis: int) -> Array:
    """Apply softmax's Jacobian, diag(out) - out outᵀ; it is symmetric, so VJP and JVP are equal."""
    return out * (d - sum(out * d, axis=axis, keepdims=True))


@primitive
def softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return exp(x) / Σ exp(x) along `axis`, without overflow.

    Args:
        x: Real numbers of any shape.
        axis: The axis or axes of the sum; None for all.

    Returns:
        The shape and dtype of x; for integers, floating-point numbers.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `scipy.special.softmax`; `torch.softmax`.
    """
    if not x.size:
        return x.copy()
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    e /= xp.sum(e, axis=axis, keepdims=True)
    return e


softmax.vjp(x=lambda g, out, axis: _softmax_differential(g, out, axis=axis))
softmax.jvp(lambda dx, out, axis: _softmax_differential(dx, out, axis=axis))
softmax.vmap("axis")


def softmin(x: Array, axis: int = -1) -> Any:
    """Return exp(-x) / Σ exp(-x) along `axis`, which is softmax(-x).

    Args:
        x: Real numbers of any shape.
        axis: The axis or axes of the sum; None for all.

    Returns:
        The shape and dtype of x; for integers, floating-point numbers.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `torch.nn.functional.softmin`.
    """
    return softmax(negative(x), axis=axis)


@primitive
def log_softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return x - log Σ exp(x) along `axis`, the logarithm of softmax, without overflow or underflow.

    Args:
        x: Real numbers of any shape.
        axis: The axis or axes of the sum; None for all.

    Returns:
        The shape and dtype of x; for integers, floating-point numbers.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `scipy.special.log_softmax`; `torch.log_softmax`.
    """
    if not x.size:
        return x.copy()
    x = floating(x)
    shifted = x - xp.max(x, axis=axis, keepdims=True)
    shifted -= xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))
    return shifted


log_softmax.vjp(x=lambda g, out, axis: g - exp(out) * sum(g, axis=axis, keepdims=True))
log_softmax.jvp(lambda dx, out, axis: dx - sum(exp(out) * dx, axis=axis, keepdims=True))
log_softmax.vmap("axis")
