"""Trigonometric and hyperbolic functions and their inverses, under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.primitive import primitive
from autodrill.engine.ops.elementwise import sqrt

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "sin", "sinh", "tan", "tanh",
]
# fmt: on


@primitive(on_complex="holomorphic")
def sin(xp: Namespace, x: Array) -> Array:
    """Return the sine.

    Source: `numpy.sin`.
    """
    return xp.sin(x)


@primitive(on_complex="holomorphic")
def cos(xp: Namespace, x: Array) -> Array:
    """Return the cosine.

    Source: `numpy.cos`.
    """
    return xp.cos(x)


sin.vjp(x=lambda g, x: g * cos(x))
sin.jvp("elementwise")
cos.vjp(x=lambda g, x: -g * sin(x))
cos.jvp("elementwise")


@primitive(on_complex="holomorphic")
def tan(xp: Namespace, x: Array) -> Array:
    """Return the tangent.

    Source: `numpy.tan`.
    """
    return xp.tan(x)


tan.vjp(x=lambda g, out: g * (1 + out * out))
tan.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arcsin(xp: Namespace, x: Array) -> Array:
    """Return the inverse sine, in [-π/2, π/2]; of a real number outside [-1, 1] NaN.

    Source: `numpy.arcsin`.
    """
    return xp.arcsin(x)


arcsin.vjp(x=lambda g, x: g / sqrt((1 - x) * (1 + x)))
arcsin.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arccos(xp: Namespace, x: Array) -> Array:
    """Return the inverse cosine, in [0, π]; of a real number outside [-1, 1] NaN.

    Source: `numpy.arccos`.
    """
    return xp.arccos(x)


arccos.vjp(x=lambda g, x: -g / sqrt((1 - x) * (1 + x)))
arccos.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arctan(xp: Namespace, x: Array) -> Array:
    """Return the inverse tangent, for real numbers in (-π/2, π/2).

    Source: `numpy.arctan`.
    """
    return xp.arctan(x)


arctan.vjp(x=lambda g, x: g / (1 + x * x))
arctan.jvp("elementwise")


@primitive(on_complex="holomorphic")
def sinh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic sine, (exp(x) - exp(-x)) / 2.

    Source: `numpy.sinh`.
    """
    return xp.sinh(x)


@primitive(on_complex="holomorphic")
def cosh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic cosine, (exp(x) + exp(-x)) / 2.

    Source: `numpy.cosh`.
    """
    return xp.cosh(x)


sinh.vjp(x=lambda g, x: g * cosh(x))
sinh.jvp("elementwise")
cosh.vjp(x=lambda g, x: g * sinh(x))
cosh.jvp("elementwise")


@primitive(on_complex="holomorphic")
def tanh(xp: Namespace, x: Array) -> Array:
    """Return the hyperbolic tangent, sinh(x) / cosh(x).

    Source: `numpy.tanh`.
    """
    return xp.tanh(x)


tanh.vjp(x=lambda g, out: g * (1 - out * out))
tanh.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arcsinh(xp: Namespace, x: Array) -> Array:
    """Return the inverse hyperbolic sine, log(x + √(x² + 1)).

    Source: `numpy.arcsinh`.
    """
    return xp.arcsinh(x)


arcsinh.vjp(x=lambda g, x: g / sqrt(1 + x * x))
arcsinh.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arccosh(xp: Namespace, x: Array) -> Array:
    """Return the inverse hyperbolic cosine, log(x + √(x² - 1)); of a real number below 1 NaN.

    Source: `numpy.arccosh`.
    """
    return xp.arccosh(x)


def _arccosh_vjp(g: Array, x: Array) -> Array:
    # In the left half-plane √(x - 1) √(x + 1) differs from √((x - 1)(x + 1)).
    return g / (sqrt(x - 1) * sqrt(x + 1) if is_complex(x) else sqrt((x - 1) * (x + 1)))


arccosh.vjp(x=_arccosh_vjp)
arccosh.jvp("elementwise")


@primitive(on_complex="holomorphic")
def arctanh(xp: Namespace, x: Array) -> Array:
    """Return the inverse hyperbolic tangent, log((1 + x) / (1 - x)) / 2; of a real number outside [-1, 1] NaN.

    Source: `numpy.arctanh`.
    """
    return xp.arctanh(x)


arctanh.vjp(x=lambda g, x: g / ((1 - x) * (1 + x)))
arctanh.jvp("elementwise")
