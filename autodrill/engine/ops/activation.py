"""Activation functions under PyTorch's functional names, with PyTorch's subgradient at every kink.

Comparisons select what becomes 0 or a constant. NaN compares false, so it stays NaN and its gradient passes.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.core.backend import Array, Namespace, backend_of
from autodrill.engine.core.complex_convention import check_real, is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import BY_OPERATIONS, raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import erf, exp, multiply, where
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.shape import along
from autodrill.engine.ops.trigonometric import tanh

# fmt: off
__all__ = [
    "celu", "elu", "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid",
    "mish", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "softshrink", "softsign", "tanhshrink",
    "threshold",
]
# fmt: on

# Rectifiers


@primitive(integers=True)
def relu(xp: Namespace, x: Array) -> Array:
    """Return max(x, 0); its subgradient at 0 is 0.

    Source: `torch.nn.functional.relu`.
    """
    return xp.maximum(x, 0)


relu.vjp(x=lambda g, out: where(raw(out) <= 0, 0, g))
relu.jvp("elementwise")


@primitive
def leaky_relu(xp: Namespace, x: Array, *, negative_slope: float = 0.01) -> Array:
    """Return x where x > 0 and `negative_slope` times x elsewhere.

    Args:
        negative_slope: The slope below 0, a number.

    Source: `torch.nn.functional.leaky_relu`.
    """
    return xp.where(x > 0, x, negative_slope * x)


leaky_relu.vjp(x=lambda g, x, negative_slope: where(raw(x) > 0, g, negative_slope * g))
leaky_relu.jvp("elementwise")


def prelu(x: Array, weight: Array) -> Any:
    """Return x where x > 0 and weight · x elsewhere.

    Args:
        x: Real numbers of shape (N, C, ...), or any shape for a single weight.
        weight: One slope, shape (1,) or (), or one for each channel, shape (C,).

    Returns:
        The shape of x, and the common dtype.

    Raises:
        TypeError: An input is complex.
        ValueError: There are several slopes, but not one for each channel.

    Source: He et al., 2015; `torch.nn.functional.prelu`.
    """
    check_real("prelu", x, weight)
    if weight.ndim == 1 and weight.shape[0] != 1:
        weight = along(weight, 1, x.ndim)
    return where(raw(x) > 0, x, multiply(weight, x))


@primitive(integers=True)
def relu6(xp: Namespace, x: Array) -> Array:
    """Return x limited to [0, 6]; its subgradient at both ends is 0.

    Source: `torch.nn.functional.relu6`.
    """
    return xp.clip(x, 0, 6)


relu6.vjp(x=lambda g, x: where((raw(x) <= 0) | (raw(x) >= 6), 0, g))
relu6.jvp("elementwise")


@primitive
def hardtanh(xp: Namespace, x: Array, *, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    """Return x limited to [min_val, max_val]; the subgradient at both ends is 0, whereas that of `clip` is 1.

    Args:
        min_val: The lower bound, a number.
        max_val: The upper bound, a number.

    Source: `torch.nn.functional.hardtanh`.
    """
    return xp.clip(x, min_val, max_val)


hardtanh.vjp(x=lambda g, x, min_val, max_val: where((raw(x) <= min_val) | (raw(x) >= max_val), 0, g))
hardtanh.jvp("elementwise")


@primitive(integers=True)
def threshold(xp: Namespace, x: Array, *, threshold: float, value: float) -> Array:
    """Return x where it exceeds `threshold` and `value` elsewhere.

    Args:
        x: Real numbers of any shape.
        threshold: The number that x must exceed.
        value: The number in place of smaller elements.

    Returns:
        The shape and dtype of x; for integers and a `value` that is a float, floating-point numbers.

    Raises:
        TypeError: x is complex.

    Source: `torch.nn.functional.threshold`.
    """
    return xp.where(x <= threshold, value, x)


threshold.vjp(x=lambda g, x, threshold: where(raw(x) <= threshold, 0, g))
threshold.jvp("elementwise")


@primitive
def softshrink(xp: Namespace, x: Array, *, lambd: float = 0.5) -> Array:
    """Return x moved towards 0 by `lambd`, and 0 if |x| is at most `lambd`.

    Args:
        lambd: Half the width of the interval around 0, a number.

    Source: `torch.nn.functional.softshrink`.
    """
    return x - xp.clip(x, -lambd, lambd)


softshrink.vjp(x=lambda g, x, lambd: where(abs(raw(x)) <= lambd, 0, g))
softshrink.jvp("elementwise")


@primitive(integers=True)
def hardshrink(xp: Namespace, x: Array, *, lambd: float = 0.5) -> Array:
    """Return x, and 0 if |x| is at most `lambd`.

    Args:
        lambd: Half the width of the interval around 0, a number.

    Source: `torch.nn.functional.hardshrink`.
    """
    return xp.where(abs(x) <= lambd, 0, x)


hardshrink.vjp(x=lambda g, x, lambd: where(abs(raw(x)) <= lambd, 0, g))
hardshrink.jvp("elementwise")


# Exponential below zero


@primitive
def elu(xp: Namespace, x: Array, *, alpha: float = 1.0) -> Array:
    """Return x where x > 0 and alpha (exp(x) - 1) elsewhere.

    Args:
        alpha: Minus the limit at -∞, a number.

    Source: Clevert et al., 2016; `torch.nn.functional.elu`.
    """
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0)))


# From x, since the result plus alpha would lose the digits of a small slope.
elu.vjp(x=lambda g, x, alpha: where(raw(x) > 0, g, g * (alpha * exp(where(raw(x) > 0, 0, x)))))
elu.jvp("elementwise")


@primitive
def celu(xp: Namespace, x: Array, *, alpha: float = 1.0) -> Array:
    """Return x where x > 0 and alpha (exp(x / alpha) - 1) elsewhere; it is differentiable at 0 for any alpha.

    Args:
        alpha: Minus the limit at -∞, a number.

    Source: Barron, 2017; `torch.nn.functional.celu`.
    """
    return xp.where(x > 0, x, alpha * xp.expm1(xp.minimum(x, 0) / alpha))


celu.vjp(x=lambda g, x, alpha: where(raw(x) > 0, g, g * exp(where(raw(x) > 0, 0, x) / alpha)))
celu.jvp("elementwise")


@behaves("elementwise")
def selu(x: Array) -> Any:
    """Return λ elu(x, α), whose λ and α make zero mean and unit variance a fixed point.

    Source: Klambauer et al., 2017; `torch.nn.functional.selu`.
    """
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
    """Return 1 / (1 + exp(-x)), without overflow.

    Source: `torch.sigmoid`; `scipy.special.expit`.
    """
    return _raw_sigmoid(xp, x)


sigmoid.vjp(x=lambda g, out: g * (out * (1 - out)))
sigmoid.jvp("elementwise")


@primitive
def logsigmoid(xp: Namespace, x: Array) -> Array:
    """Return log sigmoid(x), accurate in both tails.

    Source: `torch.nn.functional.logsigmoid`.
    """
    return -xp.logaddexp(-x, 0)


logsigmoid.vjp(x=lambda g, x: g * sigmoid(-x))
logsigmoid.jvp("elementwise")


@primitive
def softplus(xp: Namespace, x: Array, *, beta: float = 1.0) -> Array:
    """Return log(1 + exp(beta x)) / beta, without overflow; PyTorch returns x above a threshold.

    Args:
        beta: The inverse of the width of the bend, a number.

    Source: `torch.nn.functional.softplus`.
    """
    return xp.logaddexp(beta * x, 0) / beta


softplus.vjp(x=lambda g, x, beta: g * sigmoid(beta * x))
softplus.jvp("elementwise")


def _silu_slope(x: Array) -> Array:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


@primitive(on_complex="holomorphic")
def silu(xp: Namespace, x: Array) -> Array:
    """Return x sigmoid(x), also called swish.

    Source: Elfwing et al., 2018; `torch.nn.functional.silu`.
    """
    return x * _raw_sigmoid(xp, x)


silu.vjp(x=lambda g, x: g * _silu_slope(x))
silu.jvp("elementwise")


@behaves("elementwise")
def mish(x: Array) -> Any:
    """Return x tanh(softplus(x)).

    Source: Misra, 2019; `torch.nn.functional.mish`.
    """
    return multiply(x, tanh(softplus(x)))


def glu(x: Array, axis: int = -1) -> Any:
    """Return a · sigmoid(b), with a and b the first and second half of x along `axis`.

    Args:
        x: Real or complex numbers of any shape with at least one axis.
        axis: The axis that is halved, by default the last.

    Returns:
        The shape of x with half the length along `axis`, and its dtype.

    Raises:
        ValueError: The axis has an odd length.
        AxisError: x lacks the axis.

    Source: Dauphin et al., 2017; `torch.nn.functional.glu`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`glu`")
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


@behaves("elementwise")
def gelu(x: Array, approximate: Literal["none", "tanh"] = "none") -> Any:
    """Return x Φ(x), with the normal distribution function Φ.

    Args:
        approximate: `"none"`, or `"tanh"` for the approximation 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).

    Raises:
        ValueError: `approximate` is neither.

    Source: Hendrycks and Gimpel, 2016; `torch.nn.functional.gelu`.
    """
    if approximate == "none":
        return _gelu(x)
    if approximate != "tanh":
        raise ValueError(f"`approximate` is `none` or `tanh`, not `{approximate}`")
    return 0.5 * x * (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * multiply(x, multiply(x, x)))))


# Piecewise and rational


@behaves("elementwise")
def hardsigmoid(x: Array) -> Any:
    """Return relu6(x + 3) / 6, a piecewise linear sigmoid.

    Source: Howard et al., 2019 (MobileNetV3); `torch.nn.functional.hardsigmoid`.
    """
    return relu6(x + 3) / 6


@behaves("elementwise")
def hardswish(x: Array) -> Any:
    """Return x hardsigmoid(x).

    Source: Howard et al., 2019 (MobileNetV3); `torch.nn.functional.hardswish`.
    """
    return x * hardsigmoid(x)


@behaves("elementwise", complex="complex")
def softsign(x: Array) -> Any:
    """Return x / (1 + |x|).

    Source: `torch.nn.functional.softsign`.
    """
    return x / (1 + absolute(x))


@behaves("elementwise", complex="complex")
def tanhshrink(x: Array) -> Any:
    """Return x - tanh(x).

    Source: `torch.nn.functional.tanhshrink`.
    """
    return x - tanh(x)
