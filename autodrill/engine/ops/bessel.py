"""Bessel functions of integer order; their derivatives are functions of the neighbouring orders.

Orders 0 and 1 have the short names of SciPy and `torch.special`: `j0` and `y0` for the Bessel functions, `i0` and `k0`
for the modified ones, with a final `e` for exponential scaling. (The spherical j₀ is `sinc(x / π)`.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine import bessel_values
from autodrill.engine.core.backend import floating
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import exp
from autodrill.engine.ops.parts import sign
from autodrill.engine.special_values import non_negative

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "bessel_i", "bessel_ie", "bessel_j", "bessel_ke", "bessel_y", "i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e",
    "k1", "k1e", "y0", "y1",
]
# fmt: on


# Jₙ and Yₙ: the derivative is half the difference of the neighbouring orders (DLMF 10.6.1)


def _slope(function: Any, x: Array, order: int) -> Array:
    if order == 0:
        return -function(x, order=1)
    return 0.5 * (function(x, order=order - 1) - function(x, order=order + 1))


@primitive
def bessel_j(xp: Namespace, x: Array, *, order: int = 0) -> Array:  # noqa: ARG001 - NumPy has none
    """Return Jₙ(x), the Bessel function of the first kind.

    Args:
        order: The order n, a non-negative integer.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.2.2; `scipy.special.jn`.
    """
    return bessel_values.bessel_j(non_negative("order", order), floating(x))


@primitive
def bessel_y(xp: Namespace, x: Array, *, order: int = 0) -> Array:  # noqa: ARG001 - NumPy has none
    """Return Yₙ(x), the Bessel function of the second kind, for positive x; -∞ at 0, NaN for negative x.

    Args:
        order: The order n, a non-negative integer.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.2.3; `scipy.special.yn`.
    """
    return bessel_values.bessel_y(non_negative("order", order), floating(x))


bessel_j.vjp(x=lambda g, x, order: g * _slope(bessel_j, x, order))
bessel_j.jvp("elementwise")
bessel_y.vjp(x=lambda g, x, order: g * _slope(bessel_y, x, order))
bessel_y.jvp("elementwise")


# Iₙ and, up to a sign, Kₙ: the derivative is the mean of the neighbouring orders (DLMF 10.29.1)


def _mean_of_neighbours(function: Any, x: Array, order: int) -> Array:
    return 0.5 * (function(x, order=abs(order - 1)) + function(x, order=order + 1))


@primitive
def bessel_i(xp: Namespace, x: Array, *, order: int = 0) -> Array:
    """Return Iₙ(x), the modified Bessel function of the first kind.

    Args:
        order: The order n, a non-negative integer.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.25.2; `scipy.special.iv`.
    """
    return bessel_values.bessel_ie(non_negative("order", order), floating(x)) * xp.exp(xp.absolute(x))


@primitive
def bessel_ie(xp: Namespace, x: Array, *, order: int = 0) -> Array:  # noqa: ARG001 - NumPy has none
    """Return exp(-|x|) Iₙ(x), which is finite for every x, with the modified Bessel function Iₙ of the first kind.

    Args:
        order: The order n, a non-negative integer.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.25.2; `scipy.special.ive`.
    """
    return bessel_values.bessel_ie(non_negative("order", order), floating(x))


@primitive
def bessel_ke(xp: Namespace, x: Array, *, order: int = 0) -> Array:  # noqa: ARG001 - NumPy has none
    """Return exp(x) Kₙ(x), with the modified Bessel function Kₙ of the second kind; the factor removes its decay.

    It is ∞ at 0 and NaN for negative x.

    Args:
        order: The order n, a non-negative integer.

    Raises:
        TypeError: The order is not an integer.
        ValueError: The order is negative.

    Source: DLMF 10.27.4; `scipy.special.kve`.
    """
    return bessel_values.bessel_ke(non_negative("order", order), floating(x))


bessel_i.vjp(x=lambda g, x, order: g * _mean_of_neighbours(bessel_i, x, order))
bessel_i.jvp("elementwise")
bessel_ie.vjp(x=lambda g, x, out, order: g * (_mean_of_neighbours(bessel_ie, x, order) - sign(raw(x)) * out))
bessel_ie.jvp("elementwise")
bessel_ke.vjp(x=lambda g, x, out, order: g * (out - _mean_of_neighbours(bessel_ke, x, order)))
bessel_ke.jvp("elementwise")


@behaves("elementwise")
def j0(x: Array) -> Any:
    """Return J₀(x), the Bessel function of the first kind of order 0.

    Source: `scipy.special.j0`.
    """
    return bessel_j(x, order=0)


@behaves("elementwise")
def j1(x: Array) -> Any:
    """Return J₁(x), the Bessel function of the first kind of order 1.

    Source: `scipy.special.j1`.
    """
    return bessel_j(x, order=1)


@behaves("elementwise")
def y0(x: Array) -> Any:
    """Return Y₀(x), the Bessel function of the second kind of order 0, for positive x.

    Source: `scipy.special.y0`.
    """
    return bessel_y(x, order=0)


@behaves("elementwise")
def y1(x: Array) -> Any:
    """Return Y₁(x), the Bessel function of the second kind of order 1, for positive x.

    Source: `scipy.special.y1`.
    """
    return bessel_y(x, order=1)


@behaves("elementwise")
def i0(x: Array) -> Any:
    """Return I₀(x), the modified Bessel function of the first kind of order 0.

    Source: `scipy.special.i0`.
    """
    return bessel_i(x, order=0)


@behaves("elementwise")
def i1(x: Array) -> Any:
    """Return I₁(x), the modified Bessel function of the first kind of order 1.

    Source: `scipy.special.i1`.
    """
    return bessel_i(x, order=1)


@behaves("elementwise")
def i0e(x: Array) -> Any:
    """Return exp(-|x|) I₀(x), with the modified Bessel function I₀ of the first kind.

    Source: `scipy.special.i0e`.
    """
    return bessel_ie(x, order=0)


@behaves("elementwise")
def i1e(x: Array) -> Any:
    """Return exp(-|x|) I₁(x), with the modified Bessel function I₁ of the first kind.

    Source: `scipy.special.i1e`.
    """
    return bessel_ie(x, order=1)


@behaves("elementwise")
def k0(x: Array) -> Any:
    """Return K₀(x), the modified Bessel function of the second kind of order 0, for positive x.

    Source: `scipy.special.k0`.
    """
    return exp(-x) * bessel_ke(x, order=0)


@behaves("elementwise")
def k1(x: Array) -> Any:
    """Return K₁(x), the modified Bessel function of the second kind of order 1, for positive x.

    Source: `scipy.special.k1`.
    """
    return exp(-x) * bessel_ke(x, order=1)


@behaves("elementwise")
def k0e(x: Array) -> Any:
    """Return exp(x) K₀(x), with the modified Bessel function K₀ of the second kind, for positive x.

    Source: `scipy.special.k0e`.
    """
    return bessel_ke(x, order=0)


@behaves("elementwise")
def k1e(x: Array) -> Any:
    """Return exp(x) K₁(x), with the modified Bessel function K₁ of the second kind, for positive x.

    Source: `scipy.special.k1e`.
    """
    return bessel_ke(x, order=1)
