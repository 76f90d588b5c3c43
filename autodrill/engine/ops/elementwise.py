"""Elementwise operations. Names and dtype rules are NumPy's; subgradients at kinks are PyTorch's."""

from __future__ import annotations

import math
from typing import Any

from autodrill.engine.core.backend import Array, Namespace, backend_of
from autodrill.engine.core.complex_convention import cast, check_real
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import Tensor, raw

# fmt: off
__all__ = [
    "add", "astype", "clip", "divide", "erf", "exp", "expm1", "log", "log1p", "maximum", "minimum", "multiply",
    "negative", "positive", "power", "reciprocal", "sqrt", "square", "subtract", "where",
]
# fmt: on

# Arithmetic


@primitive(broadcasts=True, integers=True)
def add(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x + y.

    Source: `numpy.add`.
    """
    return xp.add(x, y)


add.vjp(x=lambda g: g, y=lambda g: g)
add.jvp("linear")


@primitive(broadcasts=True, integers=True)
def subtract(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x - y.

    Source: `numpy.subtract`.
    """
    return xp.subtract(x, y)


subtract.vjp(x=lambda g: g, y=lambda g: -g)
subtract.jvp("linear")


@primitive(broadcasts=True, integers=True)
def multiply(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x y.

    Source: `numpy.multiply`.
    """
    return xp.multiply(x, y)


multiply.vjp(x=lambda g, y: g * y, y=lambda g, x: g * x)
multiply.jvp("linear in each argument")


@primitive(broadcasts=True, on_complex="holomorphic")
def divide(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x / y.

    Source: `numpy.divide`.
    """
    return xp.divide(x, y)


# The rule for y saves x, not the quotient, which may then be overwritten, as in PyTorch.
divide.vjp(x=lambda g, y: g / y, y=lambda g, x, y: -g * (x / y) / y)
divide.jvp("elementwise")


@primitive(broadcasts=True, integers=True)
def negative(xp: Namespace, x: Array) -> Array:
    """Return -x.

    Source: `numpy.negative`.
    """
    return xp.negative(x)


negative.vjp(x=lambda g: -g)
negative.jvp("linear")


@primitive(broadcasts=True, integers=True)
def positive(xp: Namespace, x: Array) -> Array:
    """Return a copy of x.

    Source: `numpy.positive`.
    """
    return xp.positive(x)


positive.vjp(x=lambda g: g)
positive.jvp("linear")


def _power_wrt_base(g: Array, x: Array, y: Array) -> Array:
    # d(x**0)/dx is 0 everywhere, also at x = 0, where 0 * x**-1 is NaN.
    if isinstance(y, (int, float)):
        return g * 0 if y == 0 else g * (y * x if y == 2 else y * power(x, y - 1))
    constant = y == 0
    return g * where(constant, 0, y * power(x, where(constant, 1, y - 1)))


def _power_wrt_exponent(g: Array, x: Array, out: Array) -> Array:
    # d(0**y)/dy is 0 for y >= 0; 0 * log(0) would be NaN.
    if out.dtype.kind == "c":
        return g * out * log(where(x == 0, 1, x) + 0j)  # complex also for a negative real base
    if isinstance(x, (int, float)) and x != 0:
        return g * out * (math.log(x) if x > 0 else math.nan)
    return g * out * log(where((raw(x) == 0) & (abs(raw(out)) < math.inf), 1, x))


@primitive(broadcasts=True, on_complex="holomorphic", integers=True)
def power(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x to the power y, the principal value; a negative real base needs an integer exponent.

    Raises:
        ValueError: An exponent is a negative integer, and the base is an array of integers.

    Source: `numpy.power`; the derivatives at x = 0 as in `torch.pow`.
    """
    return xp.power(x, y)


power.vjp(x=_power_wrt_base, y=_power_wrt_exponent)
power.jvp("elementwise")


@primitive(on_complex="holomorphic", integers=True)
def square(xp: Namespace, x: Array) -> Array:
    """Return x².

    Source: `numpy.square`.
    """
    return xp.square(x)


square.vjp(x=lambda g, x: g * (2 * x))
square.jvp("elementwise")


@primitive(on_complex="holomorphic", integers=True)
def reciprocal(xp: Namespace, x: Array) -> Array:
    """Return 1 / x; for integers, rounded towards 0.

    Source: `numpy.reciprocal`.
    """
    return xp.reciprocal(x)


reciprocal.vjp(x=lambda g, out: -g * out * out)
reciprocal.jvp("elementwise")


@primitive(on_complex="holomorphic")
def sqrt(xp: Namespace, x: Array) -> Array:
    """Return √x, the principal value; of a negative real number NaN.

    Source: `numpy.sqrt`.
    """
    return xp.sqrt(x)


sqrt.vjp(x=lambda g, out: g / (2 * out))
sqrt.jvp("elementwise")


# Exponential and logarithm


@primitive(on_complex="holomorphic")
def exp(xp: Namespace, x: Array) -> Array:
    """Return e to the power x.

    Source: `numpy.exp`.
    """
    return xp.exp(x)


exp.vjp(x=lambda g, out: g * out)
exp.jvp("elementwise")


@primitive(on_complex="holomorphic")
def expm1(xp: Namespace, x: Array) -> Array:
    """Return exp(x) - 1, accurate near 0.

    Source: `numpy.expm1`.
    """
    return xp.expm1(x)


expm1.vjp(x=lambda g, out: g * (out + 1))
expm1.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log(xp: Namespace, x: Array) -> Array:
    """Return the natural logarithm, the principal value; of a negative real number NaN.

    Source: `numpy.log`.
    """
    return xp.log(x)


log.vjp(x=lambda g, x: g / x)
log.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log1p(xp: Namespace, x: Array) -> Array:
    """Return log(1 + x), accurate near 0.

    Source: `numpy.log1p`.
    """
    return xp.log1p(x)


log1p.vjp(x=lambda g, x: g / (1 + x))
log1p.jvp("elementwise")


@primitive
def erf(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - neither namespace has it
    """Return the error function, 2/√π ∫₀ˣ exp(-t²) dt.

    Source: DLMF 7.2.1; `scipy.special.erf`.
    """
    return backend_of(x).erf(x)


erf.vjp(x=lambda g, x: g * (2 / math.sqrt(math.pi) * exp(-x * x)))
erf.jvp("elementwise")


# With kinks


@primitive(broadcasts=True, integers=True)
def where(xp: Namespace, condition: Array, x: Array, y: Array) -> Array:
    """Return x where the condition holds and y elsewhere; the branch not taken gets a gradient of exactly 0.

    Source: `numpy.where`.
    """
    return xp.where(condition, x, y)


where.vjp(
    condition=None,
    x=lambda g, condition: where(condition, g, 0),
    y=lambda g, condition: where(condition, 0, g),
)
where.jvp("linear")


def quotient_or_zero(x: Array, y: Array) -> Array:
    """Return x / y, and 0 with all its derivatives where y is 0: a subgradient where there is no derivative."""
    zero = raw(y) == 0
    return where(zero, 0, x / where(zero, 1, y))


@primitive(broadcasts=True, integers=True)
def maximum(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the larger of x and y; at a tie each gets half of the gradient, and both get all of it at NaN.

    Source: `numpy.maximum`; the derivative at ties as in `torch.maximum`.
    """
    return xp.maximum(x, y)


maximum.vjp(
    x=lambda g, x, y: where(raw(x) < raw(y), 0, where(raw(x) == raw(y), g / 2, g)),
    y=lambda g, x, y: where(raw(y) < raw(x), 0, where(raw(x) == raw(y), g / 2, g)),
)
maximum.jvp("elementwise")


@primitive(broadcasts=True, integers=True)
def minimum(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the smaller of x and y; at a tie each gets half of the gradient, and both get all of it at NaN.

    Source: `numpy.minimum`; the derivative at ties as in `torch.minimum`.
    """
    return xp.minimum(x, y)


minimum.vjp(
    x=lambda g, x, y: where(raw(x) > raw(y), 0, where(raw(x) == raw(y), g / 2, g)),
    y=lambda g, x, y: where(raw(y) > raw(x), 0, where(raw(x) == raw(y), g / 2, g)),
)
minimum.jvp("elementwise")


def _clip_vjp(g: Array, x: Array, min: Any, max: Any) -> Array:
    inside = raw(x) == raw(x)  # False for NaN, which compares false with every bound
    if min is not None:
        inside = inside & (raw(x) >= min)
    if max is not None:
        inside = inside & (raw(x) <= max)
    return where(inside, g, 0)


@primitive
def _clip(xp: Namespace, x: Array, *, min: Any = None, max: Any = None) -> Array:
    return xp.clip(x, min, max)


_clip.vjp(x=_clip_vjp)
_clip.jvp("elementwise")


def clip(x: Array, min: Any = None, max: Any = None) -> Any:
    """Return x limited to [min, max]; the gradient passes where min <= x <= max, elsewhere it goes to the bound.

    Args:
        x: Real numbers of any shape.
        min: The lower bound, or None; a number, an array or a Tensor, which broadcasts and is differentiated too.
        max: The upper bound, likewise; where it is below `min`, the result is `max`.

    Returns:
        The common shape and dtype of x and the bounds.

    Raises:
        TypeError: An argument is complex.
        ValueError: The shapes do not broadcast.

    Source: `numpy.clip`; derivatives as in `torch.clamp`.
    """
    if type(min) is not Tensor and type(max) is not Tensor:
        return _clip(x, min=min, max=max)
    check_real("clip", x, min, max)
    x = where(raw(x) != raw(x), raw(x), x)  # no gradient passes to NaN
    if min is not None:
        x = where((raw(x) < raw(min)) | (raw(min) != raw(min)), min, x)  # NaN as a bound is the result
    if max is not None:
        x = where((raw(x) > raw(max)) | (raw(max) != raw(max)), max, x)
    return x


# Conversion


@primitive
def _astype(xp: Namespace, x: Array, *, dtype: Any) -> Array:  # noqa: ARG001 - a method of the array
    return x.astype(dtype)


_astype.vjp(x=lambda g, x_dtype: cast(g, dtype=x_dtype))
_astype.jvp("linear")
_astype.vmap("leading")


def astype(x: Array, dtype: Any) -> Any:
    """Return x converted to `dtype`; the gradient comes back in the dtype of x.

    If `dtype` is neither floating nor complex there is no derivative, and the result does not require grad.

    Args:
        x: Values of any shape.
        dtype: A dtype, or the name of one. Of complex numbers, a real dtype keeps the real part, with a warning.

    Returns:
        A copy, with the shape of x and the dtype `dtype`.

    Raises:
        TypeError: There is no such dtype.

    Source: `numpy.ndarray.astype`.
    """
    converted = _astype(x, dtype=dtype)
    if type(converted) is Tensor and converted.data.dtype.kind not in "fc":
        return converted.detach()
    return converted
