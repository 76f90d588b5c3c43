"""Running sums, products and extremes along an axis, differences, and integrals by the trapezoidal rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.core.backend import NUMPY, backend_of, memory
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementary import logaddexp
from autodrill.engine.ops.elementwise import multiply
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.reduce import cumsum, sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.running import part_along, scan_along
from autodrill.engine.ops.shape import along, concatenate

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["cummax", "cummin", "cumprod", "cumulative_trapezoid", "diff", "gradient", "logcumsumexp", "trapezoid"]


def cumprod(x: Array, axis: int | None = None) -> Any:
    """Return the running product along `axis`, by default of all elements; the gradient is correct for zeros too.

    Args:
        x: Real or complex numbers of any shape.
        axis: The axis; None flattens x first.

    Returns:
        The shape and dtype of x; shape (x.size,) for `axis=None`.

    Raises:
        AxisError: x lacks the axis.

    Source: `numpy.cumprod`; the scan is that of Hillis and Steele, 1986.
    """
    return scan_along("cumprod", multiply, x, axis)


def logcumsumexp(x: Array, axis: int | None = None) -> Any:
    """Return the logarithm of the running sum of exp(x), without overflow.

    Args:
        x: Real numbers of any shape.
        axis: The axis; None flattens x first.

    Returns:
        The shape and dtype of x; shape (x.size,) for `axis=None`.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `torch.logcumsumexp`; the scan is that of Hillis and Steele, 1986.
    """
    check_real("logcumsumexp", x)
    return scan_along("logcumsumexp", logaddexp, x, axis)


def _accumulated(name: str, combine: Any, array: Array, axis: int) -> Any:
    """Return the running combination of a raw array; CuPy's `maximum` has no `accumulate`."""
    if backend_of(memory(array)) is NUMPY:
        return combine.accumulate(array, axis=axis)
    return scan_along(name, combine, array, axis)


def _running_extreme(name: str, x: Array, axis: int, larger: bool) -> Any:
    check_real(name, x)
    axis = normalize_axis_index(axis, x.ndim, f"`{name}`")
    array = raw(x)
    xp = backend_of(array).xp
    running = _accumulated(name, xp.maximum if larger else xp.minimum, array, axis)
    places = along(xp.arange(array.shape[axis]), axis, array.ndim)
    latest = _accumulated(name, xp.maximum, xp.where(array == running, places, 0), axis)
    return take_along_axis(x, latest, axis)


def cummax(x: Array, axis: int = -1) -> Any:
    """Return the running maximum along `axis`; the last of equal elements gets the gradient.

    Args:
        x: Real numbers of any shape with at least one axis.
        axis: The axis, by default the last.

    Returns:
        The shape and dtype of x.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: the values of `torch.cummax`, and its derivative.
    """
    return _running_extreme("cummax", x, axis, larger=True)


def cummin(x: Array, axis: int = -1) -> Any:
    """Return the running minimum along `axis`; the last of equal elements gets the gradient.

    Args:
        x: Real numbers of any shape with at least one axis.
        axis: The axis, by default the last.

    Returns:
        The shape and dtype of x.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: the values of `torch.cummin`, and its derivative.
    """
    return _running_extreme("cummin", x, axis, larger=False)


def diff(x: Array, n: int = 1, axis: int = -1) -> Any:
    """Return the n-th differences x[i + 1] - x[i] along `axis`.

    Args:
        x: Real or complex numbers of any shape with at least one axis.
        n: How many times the difference is taken, not negative.
        axis: The axis, by default the last.

    Returns:
        The shape of x with the axis shorter by n, at least empty; the dtype of x.

    Raises:
        AxisError: x lacks the axis.
        ValueError: n is negative.

    Source: `numpy.diff`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`diff`")
    if n < 0:
        raise ValueError(f"`diff` needs a non-negative order, not {n}")
    for _ in range(n):
        x = x[part_along(axis, slice(1, None))] - x[part_along(axis, slice(-1))]
    return x


def _trapezia(y: Array, x: Array | None, dx: float, axis: int) -> Any:
    middle = (y[part_along(axis, slice(1, None))] + y[part_along(axis, slice(-1))]) / 2
    if x is None:
        return middle * dx
    x = x if hasattr(x, "ndim") else np.asarray(x)
    points = x.shape[0] if x.ndim == 1 else x.shape[axis - y.ndim]
    if points != y.shape[axis]:
        raise ValueError(f"{points} points do not fit {y.shape[axis]} values")
    return middle * (along(diff(x), axis, y.ndim) if x.ndim == 1 else diff(x, axis=axis - y.ndim))


def trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return Σ (y[i] + y[i + 1]) / 2 · (x[i + 1] - x[i]) along `axis`, an integral by the trapezoidal rule.

    Args:
        y: Values of the integrand, of any shape with at least one axis.
        x: The points of the values: a vector, or an array of y's shape.
        dx: The distance between the points, if x is not given.
        axis: The axis of integration, by default the last.

    Returns:
        The shape of y without the axis.

    Raises:
        AxisError: y lacks the axis.
        ValueError: The number of points is not that of the values.

    Source: `numpy.trapezoid`.
    """
    axis = normalize_axis_index(axis, y.ndim, "`trapezoid`")
    return sum(_trapezia(y, x, dx, axis), axis=axis)


def cumulative_trapezoid(y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the running integral of y along `axis` by the trapezoidal rule; the last element is `trapezoid` of all.

    Args:
        y: Values of the integrand, of any shape with at least one axis.
        x: The points of the values: a vector, or an array of y's shape.
        dx: The distance between the points, if x is not given.
        axis: The axis of integration, by default the last.

    Returns:
        The shape of y with the axis shorter by one.

    Raises:
        AxisError: y lacks the axis.
        ValueError: The number of points is not that of the values.

    Source: `scipy.integrate.cumulative_trapezoid`.
    """
    axis = normalize_axis_index(axis, y.ndim, "`cumulative_trapezoid`")
    return cumsum(_trapezia(y, x, dx, axis), axis=axis)


def gradient(f: Array, spacing: Any = 1.0, axis: int = -1, edge_order: int = 1) -> Any:
    """Return the slope of f along one axis, from the parabola through each element and its two neighbours.

    Args:
        f: Values of a function, more than `edge_order` along the axis.
        spacing: The distance between the points, or a vector of the points.
        axis: The axis, by default the last; NumPy accepts several axes and returns a list of gradients.
        edge_order: At both ends, 1 for the slope between the last two elements, 2 for the slope of the last parabola.

    Returns:
        The shape of f; its dtype, and for integers floating-point numbers.

    Raises:
        AxisError: f lacks the axis.
        ValueError: There are too few points, `edge_order` is neither 1 nor 2, or the points do not fit.

    Source: `numpy.gradient`.
    """
    axis = normalize_axis_index(axis, f.ndim, "`gradient`")
    n = f.shape[axis]
    if edge_order not in {1, 2} or n <= edge_order:
        raise ValueError(
            f"`edge_order` must be 1 or 2 and less than the number of points, not {edge_order} for {n} points"
        )
    spacing = np.asarray(spacing) if isinstance(spacing, (list, tuple)) else spacing
    if getattr(spacing, "shape", ()) not in {(), (n,)}:
        raise ValueError(f"`spacing` must be a number or a vector of {n} points, not of shape {spacing.shape}")
    before, after = part_along(axis, slice(-1)), part_along(axis, slice(1, None))
    if getattr(spacing, "ndim", 0) == 0:
        slopes = diff(f, axis=axis) / spacing
        inside = (slopes[before] + slopes[after]) / 2
    else:
        steps = along(diff(spacing), axis, f.ndim)
        slopes = diff(f, axis=axis) / steps
        inside = (slopes[before] * steps[after] + slopes[after] * steps[before]) / (steps[before] + steps[after])
    first, last = part_along(axis, slice(1)), part_along(axis, slice(-1, None))
    ends = [slopes[first], slopes[last]]
    if edge_order == 2:  # a parabola's slope halfway between two points is the mean of its slopes at both
        ends = [2 * ends[0] - inside[first], 2 * ends[1] - inside[last]]
    return concatenate([ends[0], inside, ends[1]], axis=axis)
