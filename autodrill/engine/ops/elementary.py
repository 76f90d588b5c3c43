"""Further elementary functions under NumPy's names: roots, logarithms, angles and stable sums of exponentials."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine import special_values
from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.activation import sigmoid
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import astype, log, log1p, power, quotient_or_zero, where

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "arctan2", "cbrt", "deg2rad", "exp2", "float_power", "hypot", "log2", "log10", "logaddexp", "logaddexp2", "logit",
    "rad2deg", "rsqrt", "sinc", "spherical_bessel", "xlog1py", "xlogy",
]
# fmt: on

LN2 = math.log(2)

# Powers, roots and logarithms


@primitive(on_complex="holomorphic")
def exp2(xp: Namespace, x: Array) -> Array:
    """Return 2 to the power x.

    Source: `numpy.exp2`; for complex numbers `torch.exp2`.
    """
    try:
        return xp.exp2(x)
    except TypeError:  # NumPy's exp2 is for real numbers only
        return xp.exp(LN2 * x)


exp2.vjp(x=lambda g, out: g * (LN2 * out))
exp2.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log2(xp: Namespace, x: Array) -> Array:
    """Return the logarithm to base 2.

    Source: `numpy.log2`.
    """
    return xp.log2(x)


log2.vjp(x=lambda g, x: g / (LN2 * x))
log2.jvp("elementwise")


@primitive(on_complex="holomorphic")
def log10(xp: Namespace, x: Array) -> Array:
    """Return the logarithm to base 10.

    Source: `numpy.log10`.
    """
    return xp.log10(x)


log10.vjp(x=lambda g, x: g / (math.log(10) * x))
log10.jvp("elementwise")


@primitive
def cbrt(xp: Namespace, x: Array) -> Array:
    """Return the real cube root, also of negative numbers.

    Source: `numpy.cbrt`.
    """
    return xp.cbrt(x)


cbrt.vjp(x=lambda g, out: g / (3 * out * out))
cbrt.jvp("elementwise")


@primitive(on_complex="holomorphic")
def rsqrt(xp: Namespace, x: Array) -> Array:
    """Return 1 / √x.

    Source: `torch.rsqrt`.
    """
    return 1 / xp.sqrt(x)


rsqrt.vjp(x=lambda g, out: -0.5 * g * (out * out * out))
rsqrt.jvp("elementwise")


@behaves("elementwise", complex="complex")
def float_power(x: Array, y: Array) -> Any:
    """Return x to the power y, in double precision for any dtype.

    Returns:
        The common shape of x and y, as float64; complex128 if an input is complex.

    Source: `numpy.float_power`.
    """
    wide = np.complex128 if is_complex(x) or is_complex(y) else np.float64
    return power(astype(x, wide), astype(y, wide))


@primitive(broadcasts=True)
def hypot(xp: Namespace, x: Array, y: Array) -> Array:
    """Return √(x² + y²) without overflow; its subgradient at the origin is 0.

    Source: `numpy.hypot`.
    """
    return xp.hypot(x, y)


hypot.vjp(
    x=lambda g, x, out: g * quotient_or_zero(x, out),
    y=lambda g, y, out: g * quotient_or_zero(y, out),
)
hypot.jvp("elementwise")


@primitive(broadcasts=True)
def xlogy(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x log(y), and 0 where x is 0, even at y = 0; NaN stays NaN.

    Source: `scipy.special.xlogy`; NaN as in `torch.xlogy`.
    """
    nothing = (x == 0) & ~xp.isnan(y)
    return xp.where(nothing, 0, x * xp.log(xp.where(nothing, 1, y)))


xlogy.vjp(
    x=lambda g, x, y: where((raw(x) == 0) & (raw(y) <= 0), 0, g * log(where((raw(x) == 0) & (raw(y) <= 0), 1, y))),
    y=lambda g, x, y: g * (x / y),
)
xlogy.jvp("elementwise")


@primitive(broadcasts=True)
def xlog1py(xp: Namespace, x: Array, y: Array) -> Array:
    """Return x log(1 + y), and 0 where x is 0, even at y = -1; NaN stays NaN.

    Source: `scipy.special.xlog1py`; NaN as in `torch.special.xlog1py`.
    """
    nothing = (x == 0) & ~xp.isnan(y)
    return xp.where(nothing, 0, x * xp.log1p(xp.where(nothing, 0, y)))


def _log1p_or_zero(x: Array, y: Array) -> Array:
    edge = (raw(x) == 0) & (raw(y) <= -1)
    return where(edge, 0, log1p(where(edge, 0, y)))


xlog1py.vjp(x=lambda g, x, y: g * _log1p_or_zero(x, y), y=lambda g, x, y: g * (x / (1 + y)))
xlog1py.jvp("elementwise")


@primitive(broadcasts=True)
def logaddexp(xp: Namespace, x: Array, y: Array) -> Array:
    """Return log(exp(x) + exp(y)), without overflow.

    Source: `numpy.logaddexp`.
    """
    return xp.logaddexp(x, y)


# The shares come from x - y, since the rounding of a large result would be most of the exponent of x - out.
logaddexp.vjp(x=lambda g, x, y: g * sigmoid(x - y), y=lambda g, x, y: g * sigmoid(y - x))
logaddexp.jvp("elementwise")


@primitive(broadcasts=True)
def logaddexp2(xp: Namespace, x: Array, y: Array) -> Array:
    """Return log2(2ˣ + 2ʸ), without overflow.

    Source: `numpy.logaddexp2`.
    """
    return xp.logaddexp2(x, y)


logaddexp2.vjp(x=lambda g, x, y: g * sigmoid(LN2 * (x - y)), y=lambda g, x, y: g * sigmoid(LN2 * (y - x)))
logaddexp2.jvp("elementwise")


@primitive
def logit(xp: Namespace, x: Array) -> Array:
    """Return log(x / (1 - x)), the inverse of the sigmoid; outside [0, 1] it is NaN, and so is its derivative.

    Source: `scipy.special.logit`.
    """
    return xp.log(x) - xp.log1p(-x)


logit.vjp(x=lambda g, x: g / where((raw(x) < 0) | (raw(x) > 1), math.nan, x * (1 - x)))
logit.jvp("elementwise")


# Angles


@primitive(broadcasts=True)
def arctan2(xp: Namespace, y: Array, x: Array) -> Array:
    """Return the angle of the point (x, y), in (-π, π]; its subgradient at the origin is 0.

    Source: `numpy.arctan2`.
    """
    return xp.arctan2(y, x)


def _over_square(side: Array, y: Array, x: Array) -> Array:
    """Return side / (x² + y²) without overflow, and 0 at the origin, for a side that is x or y."""
    radius = hypot(x, y)
    return quotient_or_zero(quotient_or_zero(side, radius), radius)


arctan2.vjp(y=lambda g, y, x: g * _over_square(x, y, x), x=lambda g, y, x: -g * _over_square(y, y, x))
arctan2.jvp("elementwise")


@primitive
def deg2rad(xp: Namespace, x: Array) -> Array:
    """Return x π / 180, an angle in degrees as radians.

    Source: `numpy.deg2rad`.
    """
    return xp.deg2rad(x)


deg2rad.vjp(x=lambda g: g * (math.pi / 180))
deg2rad.jvp("elementwise")  # not "linear", which would allow complex numbers


@primitive
def rad2deg(xp: Namespace, x: Array) -> Array:
    """Return x 180 / π, an angle in radians as degrees.

    Source: `numpy.rad2deg`.
    """
    return xp.rad2deg(x)


rad2deg.vjp(x=lambda g: g * (180 / math.pi))
rad2deg.jvp("elementwise")


@primitive(on_complex="holomorphic")
def spherical_bessel(xp: Namespace, z: Array, *, order: int = 0) -> Array:
    """Return jₙ(z) / zⁿ, with the spherical Bessel function jₙ of order n; it is smooth and even, also at 0.

    Up to |z| = n + 4 the power series computes it; beyond, the recurrence in n is stable and computes it.

    Args:
        z: Values of any shape.
        order: The order n, a non-negative integer.

    Returns:
        The shape and dtype of z; for integers, floating-point numbers.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.53.1 and 10.51.1; `scipy.special.spherical_jn`.
    """
    order = special_values.non_negative("order", order)
    near = xp.absolute(z) < order + 4
    square = xp.where(near, z, 0) ** 2
    term = xp.ones_like(square) / math.prod(range(1, 2 * order + 2, 2))
    series = term
    for k in range(1, 2 * order + 30):
        term = term * square * (-0.5 / (k * (2 * order + 2 * k + 1)))
        series = series + term
    far = xp.where(near, 1, z)
    before, current = xp.cos(far), xp.sin(far) / far  # orders -1, in this scaling, and 0
    for n in range(order):
        before, current = current, ((2 * n + 1) * current - before) / far**2
    return xp.where(near, series, current)


spherical_bessel.vjp(z=lambda g, z, order: -g * (z * spherical_bessel(z, order=order + 1)))
spherical_bessel.jvp("elementwise")


@behaves("elementwise", complex="complex")
def sinc(x: Array) -> Any:
    """Return sin(πx) / (πx), and 1 at 0; all derivatives are correct there too.

    Source: `numpy.sinc`.
    """
    return spherical_bessel(math.pi * x)
