"""Linear interpolation in one dimension, under NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.shape import expand_dims
from autodrill.engine.transforms.batched_array import levels_of

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["interp", "linspace"]


def linspace(start: Array, stop: Array, num: int = 50, endpoint: bool = True) -> Any:
    """Return `num` numbers at equal distances from `start` to `stop`, along a new first axis.

    The derivative with respect to `start` falls from 1 to 0 along the axis, and that with respect to `stop` rises.

    Args:
        start: The first number, or an array of them.
        stop: The last number, or an array that broadcasts against `start`.
        num: How many numbers.
        endpoint: Whether `stop` is one of them.

    Returns:
        Shape (num, ...), with the axes to which `start` and `stop` broadcast.

    Raises:
        ValueError: `start` and `stop` do not broadcast.
        TypeError: `num` is not an integer.

    Source: agrees with `numpy.linspace`.
    """
    backend = backend_of(*(raw(v) for v in (start, stop) if hasattr(v, "shape")))
    places = backend.xp.arange(num) / max(num - endpoint, 1)
    both = [v if hasattr(v, "dtype") else backend.xp.asarray(float(v)) for v in (start, stop)]
    ndim = max(v.ndim for v in both)
    kind = backend.xp.result_type(*(v.dtype for v in both))
    if kind.kind in "fc":
        places = places.astype(kind)
    places = places.reshape((num,) + (1,) * ndim)
    return both[0] * (1 - places) + both[1] * places


def interp(x: Array, points: Array, values: Array) -> Any:
    """Return the piecewise linear function through (points, values) at x; beyond the ends it is constant.

    Differentiable with respect to all three. At a point, the slope is that of the segment to its right.

    Args:
        x: Where to evaluate, of any shape; real.
        points: A vector of N increasing real numbers, N at least 2.
        values: The N values there; real, or complex as in NumPy.

    Returns:
        The shape of x, the dtype of `values`.

    Raises:
        TypeError: x or `points` are complex.
        ValueError: `points` is not a vector of at least two elements, or `values` not one of as many.

    Source: agrees with `numpy.interp`.
    """
    xp = backend_of(raw(x)).xp
    points, values = (v if hasattr(v, "dtype") else xp.asarray(v) for v in (points, values))
    check_real("interp", x, points)
    if points.ndim != 1 or points.shape[0] < 2:
        raise ValueError(f"`interp` needs a vector of at least two points, not shape {points.shape}")
    if values.shape != points.shape:
        raise ValueError(f"`interp` needs a value for each of {points.shape[0]} points, not shape {values.shape}")
    at, among = raw(x), raw(points)
    if levels_of(at, among):
        right = (expand_dims(at, -1) >= among).sum(axis=-1)  # NumPy's search takes one list of points
    else:
        right = xp.searchsorted(among, at, side="right")
    right = xp.minimum(xp.maximum(right, 1), points.shape[0] - 1)
    low, high = getitem(points, right - 1), getitem(points, right)
    before, after = getitem(values, right - 1), getitem(values, right)
    width = high - low
    degenerate = raw(width) == 0
    inside = before + (x - low) / where(degenerate, 1, width) * (after - before)
    inside = where(degenerate, after, inside)
    first, last = (take(v, k, 0) for v in (values,) for k in (0, -1))
    return where(at < take(among, 0, 0), first, where(at > take(among, -1, 0), last, inside))
