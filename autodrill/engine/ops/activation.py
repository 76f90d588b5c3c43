"""Activation functions under PyTorch's functional names, with PyTorch's subgradient at every kink.

Comparisons select what becomes 0 or a constant. NaN compares false, so it stays NaN and its gradient passes.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from autodrill.engine.core.backend import Array, Namespace, backend_of
from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import BY_OPERATIONS, raw
from autodrill.engine.ops.elementwise import erf, exp, multiply, negative, tanh, where
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import along

# fmt: off
__all__ = [
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_softmax",
    "logsigmoid", "mish", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "softmax", "softmin", "softplus",
    "softshrink", "softsign", "tanhshrink", "threshold",
]
# fmt: on

# Rectifiers


@primitive
def relu(xp: Namespace, x: Array) -> Array:
    """Return max(x, 0); its subgradient at 0 is 0."""
    return xp.maximum(x, 0)


relu.vjp(x=lambda g, out: where(raw(out) <= 0, 0, g))
relu.jvp("elementwise")


@primitive
def leaky_relu(xp: Namespace, x: Array, *, negative_slope: float = 0.01) -> Array:
    """Return x where x > 0 and `negative_slope` times x elsewhere."""
    return xp.where(x > 0, x, negative_slope * x)


leaky_relu.vjp(x=lambda g, x, negative_slope: where(raw(x) > 0, g, negative_slope * g))
leaky_relu.jvp("elementwise")


def prelu(x: Array, weight: Array) -> Any:
    """Return x where x > 0 and weight · x elsewhere (He et al., 2015).

    Args:
        x: Shape (N, C, ...), or any shape for a single weight.
        weight: One slope, or one for each channel, shape (C,).
    """
    check_real("prelu", x, weight)
    if weight.ndim == 1 and weight.shape[0] != 1:
        weight = along(weight, 1, x.ndim)
    return where(raw(x) > 0, x, multiply(weight, x))


@primitive
def relu6(xp: Namespace, x: Array) -> Array:
    """Return x limited to [0, 6]; its subgradient at both ends is 0."""
    return xp.clip(x, 0, 6)


relu6.vjp(x=lambda g, x: where((raw(x) <= 0) | (raw(x) >= 6), 0, g))
relu6.jvp("elementwise")


@primitive
def hardtanh(xp: Namespace, x: Array, *, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Return x limited to [min_val, max_val]; the subgradient at both ends is 0, whereas that of `clip` is 1."""
    return xp.clip(x, min_val, max_val)


hardtanh.vjp(x=lambda g, x, min_val, max_val: where((raw(x) <= min_val) | (raw(x) >= max_val), 0, g))
hardtanh.jvp("elementwise")


@primitive
def threshold(xp: Namespace, x: Array, *, threshold: float, value: float) -> Array:
    """Return x where it exceeds `threshold` and `value` elsewhere."""
    return xp.where(x <= threshold, value, x)


threshold.vjp(x=lambda g, x, threshold: where(raw(x) <= threshold, 0, g))
threshold.jvp("elementwise")


@primitive
def softshrink(xp: Namespace, x: Array, *, lambd: float = 0.5) -> Array:
    """Return x moved towards 0 by `lambd`, and 0 if |x| is at most `lambd`."""
    return x - xp.clip(x, -lambd, lambd)


softshrink.vjp(x=lambda g, x, lambd: where(abs(raw(x)) <= lambd, 0, g))
softshrink.jvp("elementwise")


@primitive
def hardshrink(xp: Namespace, x: Array, *, lambd: float = 0.5) -> Array:
    """Return x, and 0 if |x| is at most `lambd`."""
    return xp.where(abs(x) <= lambd, 0, x)


hardshrink.vjp(x=lambda g, x, lambd: where(abs(raw(x)) <= lambd, 0, g))
hardshrink.jvp("elementwise")


# Exponential below zero


@primitive
def elu(xp: Namespace, x: Array, *, alpha: float = 1.0) -> Array:
    """Return x where x > 0 and alpha (exp(x) - 1) elsewhere (Clevert et al., 2016)."""
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0)))


# From x, since the result plus alpha would lose the digits of a small slope.
elu.vjp(x=lambda g, x, alpha: where(raw(x) > 0, g, g * (alpha * exp(where(raw(x) > 0, 0, x)))))
elu.jvp("elementwise")


@primitive
def celu(xp: Namespace, x: Array, *, alpha: float = 1.0) -> Array:
    """Return x where x > 0 and alpha (exp(x / alpha) - 1) elsewhere; it is differentiable at 0 for any alpha."""
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0) / alpha))


celu.vjp(x=lambda g, x, alpha: where(raw(x) > 0, g, g * exp(where(raw(x) > 0, 0, x) / alpha)))
celu.jvp("elementwise")


def selu(x: Array) -> Any:
    """Return the ELU scaled so that zero mean and unit variance are a fixed point (Klambauer et al., 2017)."""
    return 1.0507009873554805 * elu(x, alpha=1.6732632423543772)


# Sigmoids and their products


def _raw_sigmoid(xp: Namespace, x: Array) -> Array:
    if is_complex(x):
        small = xp.exp(xp.where(x.real >= 0, -x, x))
        return xp.where(x.real >= 0, 1, small) / (1 + small)
    return xp.exp(xp.minimum(x, 0)) / (
        1 + xp.exp(-xp.absolute(x))
    )  # a selection by a mask would take longer than an exponential


@primitive(on_complex="holomorphic")
def sigmoid(xp: Namespace, x: Array) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow."""
    return _raw_sigmoid(xp, x)


sigmoid.vjp(x=lambda g, out: g * (out * (1 - out)))
sigmoid.jvp("elementwise")


@primitive
def logsigmoid(xp: Namespace, x: Array) -> Array:
    """Return log sigmoid(x), accurate in both tails."""
    return -xp.logaddexp(-x, 0)


logsigmoid.vjp(x=lambda g, x: g * sigmoid(-x))
logsigmoid.jvp("elementwise")


@primitive
def softplus(xp: Namespace, x: Array, *, beta: float = 1.0) -> Array:
    """Return log(1 + exp(beta x)) / beta, without overflow; PyTorch returns x above a threshold."""
    return xp.logaddexp(beta * x, 0) / beta


softplus.vjp(x=lambda g, x, beta: g * sigmoid(beta * x))
softplus.jvp("elementwise")


def _silu_slope(x: Array) -> Array:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


@primitive(on_complex="holomorphic")
def silu(xp: Namespace, x: Array) -> Array:
    """Return x sigmoid(x), also called swish."""
    return x * _raw_sigmoid(xp, x)


silu.vjp(x=lambda g, x: g * _silu_slope(x))
silu.jvp("elementwise")


def mish(x: Array) -> Any:
    """Return x tanh(softplus(x)) (Misra, 2019)."""
    return multiply(x, tanh(softplus(x)))


def glu(x: Array, axis: int = -1) -> Any:
    """Return a · sigmoid(b), with a and b the halves of x along `axis` (Dauphin et al., 2017).

    Raises:
        ValueError: The axis has an odd length.
    """
    axis %= x.ndim
    half, odd = divmod(x.shape[axis], 2)
    if odd:
        raise ValueError(f"`glu` needs an even length along axis {axis}, not {x.shape[axis]}")
    before = (slice(None),) * axis
    return x[(*before, slice(half))] * sigmoid(x[(*before, slice(half, None))])


def _gelu_vjp(g: Array, x: Array, out: Array) -> Array:
    if type(g) in BY_OPERATIONS or type(x) in BY_OPERATIONS:
        cdf = 0.5 * (1 + erf(x * math.sqrt(0.5)))
    else:  # from the saved result, because erf is most of the cost
        zero = x == 0
        cdf = where(zero, 0.5, out / where(zero, 1, x))
    return g * (cdf + x * (math.sqrt(0.5 / math.pi) * exp(-0.5 * x * x)))


@primitive
def _gelu(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - erf is in neither namespace
    return 0.5 * x * (1 + backend_of(x).erf(x * math.sqrt(0.5)))


_gelu.vjp(x=_gelu_vjp)
_gelu.jvp("elementwise")


def gelu(x: Array, approximate: Literal["none", "tanh"] = "none") -> Any:
    """Return x Φ(x), with the normal distribution function Φ (Hendrycks and Gimpel, 2016).

    Args:
        x: Values of any shape.
        approximate: `"none"`, or `"tanh"` for the approximation of that paper.
    """
    if approximate == "none":
        return _gelu(x)
    if approximate != "tanh":
        raise ValueError(f"`approximate` is `none` or `tanh`, not `{approximate}`")
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * multiply(x, multiply(x, x)))))


# Piecewise and rational


def hardsigmoid(x: Array) -> Any:
    """Return relu6(x + 3) / 6, the piecewise linear sigmoid of MobileNetV3."""
    return relu6(x + 3) / 6


def hardswish(x: Array) -> Any:
    """Return x hardsigmoid(x)."""
    return x * hardsigmoid(x)


def softsign(x: Array) -> Any:
    """Return x / (1 + |x|)."""
    return x / (1 + absolute(x))


def tanhshrink(x: Array) -> Any:
    """Return x - tanh(x)."""
    return x - tanh(x)


# Normalised over an axis


def _softmax_differential(d: Array, out: Array, axis: int) -> Array:
    """Apply softmax's Jacobian, diag(out) - out outᵀ; it is symmetric, so VJP and JVP are equal."""
    return out * (d - sum(out * d, axis=axis, keepdims=True))


@primitive
def softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return exp(x) normalised to sum 1 along `axis`, without overflow."""
    if not x.size:
        return x.copy()
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    e /= xp.sum(e, axis=axis, keepdims=True)
    return e


softmax.vjp(x=lambda g, out, axis: _softmax_differential(g, out, axis=axis))
softmax.jvp(lambda dx, out, axis: _softmax_differential(dx, out, axis=axis))
softmax.vmap("axis")


def softmin(x: Array, axis: int = -1) -> Any:
    """Return softmax(-x)."""
    return softmax(negative(x), axis=axis)


@primitive
def log_softmax(xp: Namespace, x: Array, *, axis: int = -1) -> Array:
    """Return log softmax(x) along `axis`, without overflow or underflow."""
    if not x.size:
        return x.copy()
    shifted = x - xp.max(x, axis=axis, keepdims=True)
    shifted -= xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))
    return shifted


log_softmax.vjp(x=lambda g, out, axis: g - exp(out) * sum(g, axis=axis, keepdims=True))
log_softmax.jvp(lambda dx, out, axis: dx - sum(exp(out) * dx, axis=axis, keepdims=True))
log_softmax.vmap("axis")
