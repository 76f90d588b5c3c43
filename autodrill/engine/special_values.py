"""Values of special functions that NumPy lacks, in double precision and with NumPy alone.

Tables hold Taylor coefficients at evenly spaced nodes; they are computed from the C library's values on first use.
"""

from __future__ import annotations

import math
import operator
from functools import cache
from typing import Any

import numpy as np

__all__ = ["digamma", "erf", "erfc", "erfcx", "erfinv", "gammaln", "ndtri", "non_negative", "polygamma"]

Float = np.ndarray[Any, np.dtype[np.float64]]

_PER_UNIT = 16  # nodes are 1/16 apart, so that their squares are exact
_ERF_END = 6.0  # erf is 1 in double precision from here on
_ERFCX_END = 12.0  # from here on the asymptotic series is exact
_DEGREE = 9  # at most 1/32 from a node, the next term is below 1e-16
_DEGREE_IN_SINGLE = 5  # the same for single precision, below 1e-9
_BLOCK = 8192  # elements processed at once, so that intermediate results stay in the cache

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)


def non_negative(name: str, value: Any) -> int:
    """Return an integer parameter, of Python or NumPy.

    Raises:
        TypeError: It is not an integer.
        ValueError: It is negative.
    """
    number = operator.index(value)
    if number < 0:
        raise ValueError(f"`{name}` must be a non-negative integer, not {number}")
    return number


@cache
def _erf_table() -> Float:
    """Return, at each node, erf and its derivatives over factorials: Hermite polynomials times exp(-c²)."""
    nodes = np.arange(int(_ERF_END * _PER_UNIT) + 1) / _PER_UNIT
    rows = [np.array([math.erf(c) for c in nodes])]
    slope = _TWO_OVER_SQRT_PI * np.exp(-nodes * nodes)
    before, current = np.zeros_like(nodes), np.ones_like(nodes)
    for n in range(1, _DEGREE + 1):
        rows.append(slope * current / math.factorial(n))
        before, current = current, -2 * nodes * current - 2 * (n - 1) * before
    return np.array(rows)


@cache
def _erfcx_table() -> Float:
    """Return, at each node, erfcx and its derivatives over factorials, from y' = 2 x y - 2/√π."""
    nodes = np.arange(int(_ERFCX_END * _PER_UNIT) + 1) / _PER_UNIT
    derivatives = [np.array([math.erfc(c) * math.exp(c * c) for c in nodes])]
    derivatives.append(2 * nodes * derivatives[0] - _TWO_OVER_SQRT_PI)
    # The upward recurrence loses digits at large nodes, where the derivatives matter less.
    for n in range(1, _DEGREE):
        derivatives.append(2 * nodes * derivatives[n] + 2 * n * derivatives[n - 1])
    return np.array([d / math.factorial(n) for n, d in enumerate(derivatives)])


def _taylor(table: Float, x: Float) -> Float:
    """Evaluate at non-negative x within the table, from the nearest node."""
    nearest = np.rint(x * _PER_UNIT)
    offset = x - nearest * (1 / _PER_UNIT)
    node = nearest.astype(np.intp)
    result: Float = table[-1].take(node)
    for row in table[-2::-1]:
        result *= offset
        result += row.take(node)
    return result


def _in_double(x: Any) -> Float:
    array = x if hasattr(x, "dtype") else np.asarray(x)
    if array.dtype.kind == "c":
        raise TypeError("these functions are computed on the real line only")
    value: Float = array.astype(np.float64, copy=False)
    return value


def erf(x: Any) -> Any:
    """Return the error function, 2/√π ∫₀ˣ exp(-t²) dt, in the dtype of x."""
    x = np.asarray(x)
    flat, table = np.ascontiguousarray(x).reshape(-1), _erf_table()
    if x.dtype == np.float32:
        table = table[: _DEGREE_IN_SINGLE + 1].astype(np.float32)
    else:
        flat = _in_double(flat)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        part = flat[start : start + _BLOCK]
        size = np.fmin(np.abs(part), _ERF_END)  # NaN has no node and is restored below
        out[start : start + _BLOCK] = np.copysign(_taylor(table, size), part)
        missing = np.isnan(part)
        if missing.any():
            out[start : start + _BLOCK][missing] = np.nan
    return out.reshape(x.shape).astype(x.dtype, copy=False)


def erfcx(x: Any) -> Any:
    """Return exp(x²) erfc(x), without underflow or cancellation for large x."""
    x = np.asarray(x)
    value = _in_double(x)
    size = np.abs(value)
    near = _taylor(_erfcx_table(), np.nan_to_num(np.minimum(size, _ERFCX_END)))
    far = np.maximum(size, _ERFCX_END)
    term = np.ones_like(far)
    series = np.ones_like(far)
    for n in range(1, 13):
        term = term * (-(2 * n - 1) / (2 * far * far))
        series = series + term
    positive = np.where(size < _ERFCX_END, near, series / (far * math.sqrt(math.pi)))
    with np.errstate(over="ignore"):
        result = np.where(value < 0, 2 * np.exp(value * value) - positive, positive)
    return np.where(np.isnan(value), np.nan, result).astype(x.dtype, copy=False)


def _exp_of_minus_square(x: Float) -> Float:
    """Return exp(-x²) to full relative precision: the square of a rounded x is exact, and the remainder is small."""
    node = np.rint(np.minimum(np.abs(x), 40) * _PER_UNIT) / _PER_UNIT
    rest = np.minimum(np.abs(x), 40) - node
    result: Float = np.exp(-node * node) * np.exp(-rest * (2 * node + rest))
    return result


def erfc(x: Any) -> Any:
    """Return 1 - erf(x), to full relative precision for small results."""
    x = np.asarray(x)
    value = _in_double(x)
    tail = _exp_of_minus_square(value) * _in_double(erfcx(np.abs(value)))
    return np.where(value < 0.5, 1 - _in_double(erf(value)), tail).astype(x.dtype, copy=False)


def erfinv(x: Any) -> Any:
    """Return the inverse of erf on (-1, 1), by Halley's iteration from Winitzki's approximation (2008)."""
    x = np.asarray(x)
    value = _in_double(x)
    p = np.abs(value)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithm = np.log1p(-p * p)
        a = 0.147
        half = 2 / (math.pi * a) + logarithm / 2
        y = np.sqrt(np.sqrt(half * half - logarithm / a) - half)
        y = np.minimum(np.nan_to_num(y), 6.0)
        for _ in range(3):
            # (erf(y) - p) over the slope; by the complement if that is more accurate
            step = np.where(
                p < 0.5,
                (_in_double(erf(y)) - p) * np.exp(y * y) / _TWO_OVER_SQRT_PI,
                ((1 - p) * np.exp(y * y) - _in_double(erfcx(y))) / _TWO_OVER_SQRT_PI,
            )
            y = y - step / (1 + y * step)
        result = np.where(p < 1, np.copysign(y, value), np.where(p == 1, np.copysign(np.inf, value), np.nan))
    return result.astype(x.dtype, copy=False)


def ndtri(p: Any) -> Any:
    """Return the quantiles of the standard normal distribution, by Newton's method on the logarithm.

    Chernoff's bound gives a start below the root. The iteration never passes the root, because log ndtr is concave.
    """
    p = np.asarray(p)
    value = _in_double(p)
    tail = np.minimum(value, 1 - value)
    inside = tail > 0
    tail = np.where(inside, tail, 0.5)
    x = -np.sqrt(-2 * np.log(2 * tail))
    for _ in range(8):
        ratio = _in_double(erfcx(-x / math.sqrt(2)))
        x = x - (np.log(0.5 * ratio) - 0.5 * x * x - np.log(tail)) * (math.sqrt(math.pi / 2) * ratio)
    x = np.where(value > 0.5, -x, x)
    ends = np.where(value == 0, -np.inf, np.where(value == 1, np.inf, np.nan))
    return np.where(inside, x, ends).astype(p.dtype, copy=False)


# Gamma functions: shift the argument by ten, then use the asymptotic series in Bernoulli numbers

_SHIFT = 10
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _log_gamma_positive(x: Float) -> Float:
    product = np.ones_like(x)
    small = x < _SHIFT
    base = np.where(small, x, 1)
    for k in range(_SHIFT):
        product = product * (base + k)
    y = np.where(small, x + _SHIFT, x)
    series = np.zeros_like(y)
    for k in range(len(_BERNOULLI), 0, -1):
        series = series / (y * y) + _BERNOULLI[k - 1] / (2 * k * (2 * k - 1))
    stirling = (y - 0.5) * np.log(y) - y + 0.5 * math.log(2 * math.pi) + series / y
    return np.where(small, stirling - np.log(product), stirling)


def gammaln(x: Any) -> Any:
    """Return log |Γ(x)|, which is infinite at ±∞, 0 and the negative integers."""
    x = np.asarray(x)
    value = _in_double(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        mirrored = np.where(value < 0.5, 1 - value, value)
        result = _log_gamma_positive(mirrored)
        sine = np.abs(np.sin(math.pi * (value - np.rint(value))))
        result = np.where(value < 0.5, math.log(math.pi) - np.log(sine) - result, result)
    return np.where(np.isinf(value), np.inf, result).astype(x.dtype, copy=False)


def digamma(x: Any) -> Any:
    """Return the derivative of log Γ, NaN at the negative integers, where it changes sign through infinity."""
    x = np.asarray(x)
    value = _in_double(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = value < 0.5
        mirrored = np.where(low, 1 - value, value)
        small = mirrored < _SHIFT
        base = np.where(small, mirrored, 1)
        total = np.zeros_like(base)
        for k in range(_SHIFT):
            total = total + 1 / (base + k)
        y = np.where(small, mirrored + _SHIFT, mirrored)
        series = np.zeros_like(y)
        for k in range(len(_BERNOULLI), 0, -1):
            series = (series + _BERNOULLI[k - 1] / (2 * k)) / (y * y)
        result = np.log(y) - 0.5 / y - series - np.where(small, total, 0)
        result = np.where(low, result - math.pi / np.tan(math.pi * (value - np.rint(value))), result)
        result = np.where((value < 0) & (value == np.rint(value)), np.nan, result)
    return result.astype(x.dtype, copy=False)


def polygamma(n: int, x: Any, xp: Any = np) -> Any:
    """Return the (n + 1)-th derivative of log Γ for n > 0, which is infinite at 0 and the negative integers.

    The array library `xp` is that of x.

    Below 1/2 the reflection formula is used (DLMF 5.15.6), in which the n-th derivative of π cot πx is a polynomial in
    the cotangent.
    """
    x = xp.asarray(x)
    value = _in_double(x)
    low = value < 0.5
    mirrored = xp.where(low, 1 - value, value)
    result = (-1.0) ** (n + 1) * math.factorial(n) * _hurwitz_zeta(n + 1, mirrored)
    if xp is not np or low.any():  # elsewhere a look at the values would make the host wait
        slope = np.polynomial.Polynomial([0.0, 1.0])
        for _ in range(n):
            slope = slope.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
        with np.errstate(divide="ignore"):
            cotangent = 1 / xp.tan(math.pi * (value - xp.rint(value)))
            derivative = xp.full_like(cotangent, slope.coef[-1])
            for coefficient in slope.coef[-2::-1]:
                derivative = derivative * cotangent + coefficient
            reflected = (-1.0) ** n * result - math.pi ** (n + 1) * derivative
        result = xp.where(low, reflected, result)
    return result.astype(x.dtype, copy=False)


def _hurwitz_zeta(s: int, value: Float) -> Float:
    """Return Σ (x + k)⁻ˢ over k = 0, 1, ..., for s > 1 and positive x, by Euler and Maclaurin's formula."""
    total: Any = 0.0
    for k in range(_SHIFT + s):  # more terms for a larger s, whose derivatives grow
        total = total + (value + k) ** -float(s)
    y = value + _SHIFT + s
    total = total + y ** (1.0 - s) / (s - 1) + 0.5 * y ** -float(s)
    rising = float(s)
    for j, bernoulli in enumerate(_BERNOULLI, start=1):
        total = total + bernoulli / math.factorial(2 * j) * rising * y ** (1.0 - s - 2 * j)
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    result: Float = total
    return result
