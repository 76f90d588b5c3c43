"""Values of Bessel functions of small integer order, in double precision, on any device.

Each function uses its power series near 0, an integral in the middle, and Hankel's asymptotic series for large x.
Formulas are cited from the Digital Library of Mathematical Functions (DLMF).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.special_values import Float

__all__ = ["bessel_ie", "bessel_j", "bessel_ke", "bessel_y"]

_NEAR = 3.0  # up to here the power series of I and J lose no digits
_FAR_I, _FAR = 60.0, 30.0  # from here on the asymptotic series is exact
_NEAR_K = 1.0  # beyond this the terms of its series cancel
_POINTS = 96
_NODES = 64  # more nodes would add rounding error
_EULER = float(np.euler_gamma)


def _in_double(x: Any) -> Float:
    if x.dtype.kind == "c":
        raise TypeError("these functions are computed on the real line only")
    value: Float = x.astype(np.float64, copy=False)
    return value


def _power_series(order: int, x: Float, sign: float) -> Float:
    """Return Σ signᵏ (x/2)²ᵏ⁺ⁿ / (k! (k+n)!), which is Jₙ for -1 and Iₙ for 1 (DLMF 10.2.2, 10.25.2)."""
    xp = backend_of(x).xp
    power = (x / 2) ** order / math.factorial(order)
    total: Float = xp.zeros_like(x)
    for k in range(18):
        total = total + power
        power = power * (sign * x * x / 4) / ((k + 1) * (k + 1 + order))
    return total


def _hankel_terms(order: int, x: Float) -> list[Float]:
    """Return aₖ(n) / xᵏ of Hankel's expansions (DLMF 10.17.1), for large x."""
    xp = backend_of(x).xp
    terms = [xp.ones_like(x)]
    for k in range(1, 17):
        terms.append(terms[-1] * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k * x)))
    return terms


def _upward(low: Callable[[int, Float], Float], order: int, x: Float, sign: float) -> Float:
    """Return order n from orders 0 and 1 by fₖ₊₁ = (2k/x) fₖ + sign fₖ₋₁, stable for functions that grow with n."""
    before, current = low(0, x), low(1, x)
    if order == 0:
        return before
    for k in range(1, order):
        before, current = current, 2 * k / x * current + sign * before
    return current


def bessel_ie(order: int, x: Any) -> Any:
    """Return exp(-|x|) Iₙ(x).

    In the middle range it uses the trapezoidal rule on Bessel's integral, which is exact to rounding.
    """
    xp = backend_of(x).xp
    x = xp.asarray(x)
    value = _in_double(x)
    size = xp.abs(value)
    near = xp.minimum(size, _FAR_I)
    total = 0.5 * (1 + (-1.0) ** order * xp.exp(-2 * near))
    for k in range(1, _POINTS):
        angle = math.pi * k / _POINTS
        total = total + xp.exp(near * (math.cos(angle) - 1)) * math.cos(order * angle)
    far = xp.maximum(size, _FAR_I)
    series = sum(((-1) ** k * term for k, term in enumerate(_hankel_terms(order, far))), xp.zeros_like(far))
    result = xp.where(size < _FAR_I, total / _POINTS, series / xp.sqrt(2 * math.pi * far))
    # Near 0 the sum cancels for n > 0.
    small = xp.minimum(size, _NEAR)
    result = xp.where(size < _NEAR, _power_series(order, small, 1) * xp.exp(-small), result)
    return xp.where(value < 0, (-1.0) ** order * result, result).astype(x.dtype, copy=False)


def _oscillating_far(order: int, x: Float, *, second: bool) -> Float:
    """Return Jₙ, or Yₙ for `second`, of large x (DLMF 10.17.3 and 10.17.4)."""
    xp = backend_of(x).xp
    terms = _hankel_terms(order, x)
    even = sum(((-1) ** k * term for k, term in enumerate(terms[0::2])), xp.zeros_like(x))
    odd = sum(((-1) ** k * term for k, term in enumerate(terms[1::2])), xp.zeros_like(x))
    # cos and sin of x - nπ/2 - π/4 by the addition theorem: a rounded difference would lose digits for large x
    turn = (2 * order + 1) * math.pi / 4
    cosine = xp.cos(x) * math.cos(turn) + xp.sin(x) * math.sin(turn)
    sine = xp.sin(x) * math.cos(turn) - xp.cos(x) * math.sin(turn)
    parts = sine * even + cosine * odd if second else cosine * even - sine * odd
    result: Float = parts * xp.sqrt(2 / (math.pi * x))
    return result


def bessel_j(order: int, x: Any) -> Any:
    """Return Jₙ(x); in the middle range by the trapezoidal rule on Bessel's integral (DLMF 10.9.2)."""
    xp = backend_of(x).xp
    x = xp.asarray(x)
    value = _in_double(x)
    size = xp.abs(value)
    middle = xp.minimum(size, _FAR)
    total = xp.full_like(middle, 0.5 * (1 + (-1.0) ** order))
    for k in range(1, _POINTS):
        angle = math.pi * k / _POINTS
        total = total + xp.cos(order * angle - middle * math.sin(angle))
    with np.errstate(invalid="ignore"):
        far = _oscillating_far(order, xp.maximum(size, _FAR), second=False)
    result = xp.where(size < _FAR, total / _POINTS, xp.where(xp.isinf(size), 0, far))
    result = xp.where(size < _NEAR, _power_series(order, xp.minimum(size, _NEAR), -1), result)
    return xp.where(value < 0, (-1.0) ** order * result, result).astype(x.dtype, copy=False)


def _logarithmic_series(order: int, x: Float, sign: float) -> Float:
    """Return Σ signᵏ (ψ(k+1) + ψ(k+n+1)) (x/2)²ᵏ⁺ⁿ / (k! (k+n)!) for n = 0 or 1.

    This is the part of Y and K without a logarithm (DLMF 10.8.1 and 10.31.1).
    """
    xp = backend_of(x).xp
    power = (x / 2) ** order
    digammas = -2 * _EULER + order
    total: Float = xp.zeros_like(x)
    for k in range(18):
        total = total + digammas * power
        power = power * (sign * x * x / 4) / ((k + 1) * (k + 1 + order))
        digammas += 1 / (k + 1) + 1 / (k + 1 + order)
    return total


def bessel_y(order: int, x: Any) -> Any:
    """Return Yₙ(x) for positive x; minus infinity at 0, NaN for negative x.

    In the middle range it uses the Gauss-Legendre rule on Schläfli's integral (DLMF 10.9.7).
    """
    xp = backend_of(x).xp
    x = xp.asarray(x)
    value = _in_double(x)
    positive = xp.where(value > 0, value, 1)
    with np.errstate(over="ignore", invalid="ignore"):
        result = _upward(_low_y, order, positive, -1)
    ends = xp.where(value == 0, -math.inf, math.nan)
    return xp.where(value > 0, xp.where(xp.isposinf(value), 0, result), ends).astype(x.dtype, copy=False)


def _low_y(order: int, x: Float) -> Float:
    xp = backend_of(x).xp
    small = xp.minimum(x, _NEAR)
    near = 2 * xp.log(small / 2) * _power_series(order, small, -1) - _logarithmic_series(order, small, -1)
    near = (near - order * 2 / small) / math.pi
    middle = xp.clip(x, _NEAR, _FAR)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    total = xp.zeros_like(middle)
    end = xp.arcsinh(40 / middle)  # beyond, the second integrand is below 1e-17
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        angle = math.pi * node
        total = total + weight * xp.sin(middle * math.sin(angle) - order * angle)
        t = end * node
        growth = xp.exp(order * t) + (-1.0) ** order * xp.exp(-order * t)
        total = total - weight * end / math.pi * growth * xp.exp(-middle * xp.sinh(t))
    far = _oscillating_far(order, xp.maximum(x, _FAR), second=True)
    result: Float = xp.where(x < _NEAR, near, xp.where(x < _FAR, total, far))
    return result


def bessel_ke(order: int, x: Any) -> Any:
    """Return exp(x) Kₙ(x) for positive x; infinity at 0, NaN for negative x.

    In the middle range it uses the trapezoidal rule on an integral over the real line (DLMF 10.32.9).
    """
    xp = backend_of(x).xp
    x = xp.asarray(x)
    value = _in_double(x)
    positive = xp.where(value > 0, value, 1)
    with np.errstate(over="ignore"):
        result = _upward(_low_ke, order, positive, 1)
    ends = xp.where(value == 0, math.inf, math.nan)
    return xp.where(value > 0, result, ends).astype(x.dtype, copy=False)


def _low_ke(order: int, x: Float) -> Float:
    xp = backend_of(x).xp
    small = xp.minimum(x, _NEAR_K)
    sign = (-1.0) ** order
    near = 0.5 * sign * _logarithmic_series(order, small, 1) - sign * xp.log(small / 2) * _power_series(order, small, 1)
    near = near + order / small
    middle = xp.clip(x, _NEAR_K, _FAR)
    step = 1 / 16
    total = xp.full_like(middle, 0.5)
    for k in range(1, _POINTS):
        total = total + xp.exp(middle * (1 - math.cosh(k * step))) * math.cosh(order * k * step)
    far = xp.maximum(x, _FAR)
    series = sum(_hankel_terms(order, far), xp.zeros_like(far)) * xp.sqrt(math.pi / (2 * far))
    result: Float = xp.where(x < _NEAR_K, near * xp.exp(small), xp.where(x < _FAR, total * step, series))
    return result
