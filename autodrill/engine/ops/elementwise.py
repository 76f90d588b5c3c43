"""Elementwise operations. Names and dtype rules are NumPy's; subgradients at kinks are PyTorch's."""

from __future__ import annotations

import math
from typing import Any

from autodrill.engine.core.backend import Array, Namespace, backend_of
from autodrill.engine.core.complex_convention import cast
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import Tensor, raw

# fmt: off
__all__ = [
    "add", "arccos", "arcsin", "arctan", "astype", "clip", "cos", "cosh", "divide", "erf", "exp", "expm1", "log",
    "log1p", "maximum", "minimum", "multiply", "negative", "positive", "power", "reciprocal", "sin", "sinh", "sqrt",
    "square", "subtract", "tan", "tanh", "where",
]
# fmt: on

# Arithmetic


@primitive(broadcasts=True)
def add(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x + y."""
    return xp.add(x, y)


add.vjp(x=lambda g: g, y=lambda g: g)
add.jvp("linear")


@primitive(broadcasts=True)
def subtract(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x - y."""
    return xp.subtract(x, y)


subtract.vjp(x=lambda g: g, y=lambda g: -g)
subtract.jvp("linear")


@primitive(broadcasts=True)
def multiply(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x y."""
    return xp.multiply(x, y)


multiply.vjp(x=lambda g, y: g * y, y=lambda g, x: g * x)
multiply.jvp("linear in each argument")


@primitive(broadcasts=True, on_complex="holomorphic")
def divide(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x / y."""
    return xp.divide(x, y)


# The rule for y saves x, not the quotient, which may then be overwritten, as in PyTorch.
divide.vjp(x=lambda g, y: g / y, y=lambda g, x, y: -g * (x / y) / y)
divide.jvp("elementwise")


@primitive
def negative(xp: Namespace, x: Array) -> Array:
    """Return -x."""
    return xp.negative(x)


negative.vjp(x=lambda g: -g)
negative.jvp("linear")
negative.vmap("leading")


@primitive
def positive(xp: Namespace, x: Array) -> Array:
    """Return a copy of x."""
    return xp.positive(x)


positive.vjp(x=lambda g: g)
positive.jvp("linear")
positive.vmap("leading")


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


@primitive(broadcasts=True, on_complex="holomorphic")
def power(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x to the power y, the principal value; a negative real base needs an integer exponent."""
    return xp.power(x, y)


power.vjp(x=_power_wrt_base, y=_power_wrt_exponent)
power.jvp("elementwise")


@primitive(on_complex="holomorphic")
def square(xp: Namespace, x: Array) -> Array:
    """Return x²."""
    return xp.square(x)


square.vjp(x=lambda g, x: g * (2 * x))
square.jvp("elementwise")


@primitive(on_complex="holomorphic")
def reciprocal(xp: Namespace, x: Array) -> Array:
    """Return 1 / x."""
    return xp.reciprocal(x)


reciprocal.vjp(x=lambda g, out: -g * out * out)
reciprocal.jvp("elementwise")


@primitive(on_complex="holomorphic")
def sqrt(xp: Namespace, x: Array) -> Array:
    """Return the square root."""
    return xp.sqrt(x)


sqrt.vjp(x=lambda g, out: g / (2 * out))
sqrt.jvp("elementwise")


# Exponential and logarithm


@primitive(on_complex="holomorphic")
def exp(xp: Namespace, x: Array) -> Array:
    """Return e to the power x."""
    return xp.exp(x)


exp.vjp(x=lambda g, out: g * out)
exp.jvp("elementwise")


@primitive(on_complex="holomorphic")
def expm1(xp: Namespace, x: Array) -> Array:
    """Return exp(x) - 1, accurate near 0."""
    return xp.expm1(x)


expm1.vjp(x=lambda g, out: g * (out + 1))
expm1.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log(xp: Namespace, x: Array) -> Array:
    """Return the natural logarithm."""
    return xp.log(x)


log.vjp(x=lambda g, x: g / x)
log.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log1p(xp: Namespace, x: Array) -> Array:
    """Return log(1 + x), accurate near 0."""
    return xp.log1p(x)


log1p.vjp(x=lambda g, x: g / (1 + x))
log1p.jvp("elementwise")


@primitive
def erf(xp: Namespace, x: Array) -> Array:  # noqa: ARG001 - neither namespace has it
    """Return the error function, 2/√π ∫₀ˣ exp(-t²) dt."""
    return backend_of(x).erf(x)


erf.vjp(x=lambda g, x: g * (2 / math.sqrt(math.pi) * exp(-x * x)))
erf.jvp("elementwise")


# Trigonometric and hyperbolic


@primitive(on_complex="holomorphic")
def sin(xp: Namespace, x: Array) -> Array:
    """Return the sine."""
    return xp.sin(x)


@primitive(on_complex="holomorphic")
def cos(xp: Namespace, x: Array) -> Array:
    """Return the cosine."""
    return xp.cos(x)


sin.vjp(x=lambda g, x: g * cos(x))
sin.jvp("elementwise")
cos.vjp(x=lambda g, x: -g * sin(x))
cos.jvp("elementwise")


@primitive(on_complex="holomorphic")
def tan(xp: Namespace, x: Array) -> Array:
    """Return the tangent."""
    return xp.tan(x)


tan.vjp(x=lambda g, out: g * (1 + out * out))
tan.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arcsin(xp: Namespace, x: Array) -> Array:
    """Return the inverse sine."""
    return xp.arcsin(x)


arcsin.vjp(x=lambda g, x: g / sqrt((1 - x) * (1 + x)))
arcsin.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arccos(xp: Namespace, x: Array) -> Array:
    """Return the inverse cosine."""
    return xp.arccos(x)


arccos.vjp(x=lambda g, x: -g / sqrt((1 - x) * (1 + x)))
arccos.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arctan(xp: Namespace, x: Array) -> Array:
    """Return the inverse tangent."""
    return xp.arctan(x)


arctan.vjp(x=lambda g, x: g / (1 + x * x))
arctan.jvp("elementwise")


@primitive(on_complex="holomorphic")
def sinh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic sine."""
    return xp.sinh(x)


@primitive(on_complex="holomorphic")
def cosh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic cosine."""
    return xp.cosh(x)


sinh.vjp(x=lambda g, x: g * cosh(x))
sinh.jvp("elementwise")
cosh.vjp(x=lambda g, x: g * sinh(x))
cosh.jvp("elementwise")


@primitive(on_complex="holomorphic")
def tanh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic tangent."""
    return xp.tanh(x)


tanh.vjp(x=lambda g, out: g * (1 - out * out))
tanh.jvp("elementwise")


# With kinks


@primitive(broadcasts=True)
def where(xp: Namespace, condition: Array, x: Array, y: Array) -> Array:
    """Return x where the condition holds and y elsewhere; the branch not taken gets a gradient of exactly 0."""
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


@primitive(broadcasts=True)
def maximum(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the larger of x and y; at a tie each gets half of the gradient, and both get all of it at NaN."""
    return xp.maximum(x, y)


maximum.vjp(
    x=lambda g, x, y: where(raw(x) < raw(y), 0, where(raw(x) == raw(y), g / 2, g)),
    y=lambda g, x, y: where(raw(y) < raw(x), 0, where(raw(x) == raw(y), g / 2, g)),
)
maximum.jvp("elementwise")


@primitive(broadcasts=True)
def minimum(xp: Namespace, x: Array, y: Array) -> Array:
    """Return the smaller of x and y; at a tie each gets half of the gradient, and both get all of it at NaN."""
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
        x: Values of any shape.
        min: The lower bound, or None; a number, an array or a Tensor, which broadcasts and is differentiated too.
        max: The upper bound, likewise; where it is below `min`, the result is `max`.
    """
    if type(min) is not Tensor and type(max) is not Tensor:
        return _clip(x, min=min, max=max)
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
    """
    converted = _astype(x, dtype=dtype)
    if type(converted) is Tensor and converted.data.dtype.kind not in "fc":
        return converted.detach()
    return converted
