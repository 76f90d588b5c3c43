"""Sorting and order statistics. The order has no derivative; the gradient passes through the selected values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.core.backend import backend_of, everywhere
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.shape import flip, reshape, squeeze, stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

__all__ = ["argmax", "argmin", "argsort", "kthvalue", "median", "partition", "quantile", "sort", "topk"]


def argsort(x: Array, axis: int = -1) -> Array:
    """Return the indices that sort x along `axis` stably, as a plain array of integers.

    Args:
        x: Real numbers of any shape.
        axis: The axis, by default the last; None flattens x first.

    Returns:
        Integers of the shape of x; shape (x.size,) for `axis=None`.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `numpy.argsort` with `kind="stable"`.
    """
    check_real("argsort", x)
    return backend_of(raw(x)).xp.argsort(raw(x), axis=axis, kind="stable")


def argmax(x: Array, axis: int | None = None) -> Array:
    """Return the index of the first maximum along `axis`, as a plain array of integers.

    Args:
        x: Real numbers of any shape.
        axis: The axis; by default the index counts all elements in order.

    Returns:
        Integers of the shape of x without the axis; shape () for `axis=None`.

    Raises:
        TypeError: x is complex.
        ValueError: There is no element.
        AxisError: x lacks the axis.

    Source: `numpy.argmax`.
    """
    check_real("argmax", x)
    xp = backend_of(raw(x)).xp
    return xp.asarray(xp.argmax(raw(x), axis=axis))


def argmin(x: Array, axis: int | None = None) -> Array:
    """Return the index of the first minimum along `axis`, as a plain array of integers.

    Args:
        x: Real numbers of any shape.
        axis: The axis; by default the index counts all elements in order.

    Returns:
        Integers of the shape of x without the axis; shape () for `axis=None`.

    Raises:
        TypeError: x is complex.
        ValueError: There is no element.
        AxisError: x lacks the axis.

    Source: `numpy.argmin`.
    """
    check_real("argmin", x)
    xp = backend_of(raw(x)).xp
    return xp.asarray(xp.argmin(raw(x), axis=axis))


def sort(x: Array, axis: int | None = -1) -> Any:
    """Return x sorted along `axis`, stably and in ascending order; NaN comes last.

    Args:
        x: Real numbers of any shape with at least one axis.
        axis: The axis, by default the last; None flattens x first.

    Returns:
        The shape and dtype of x; shape (x.size,) for `axis=None`.

    Raises:
        TypeError: x is complex.
        AxisError: x lacks the axis.

    Source: `numpy.sort` with `kind="stable"`.
    """
    check_real("sort", x)
    if axis is None:
        return sort(reshape(x, -1), 0)
    axis = normalize_axis_index(axis, x.ndim, "`sort`")
    return take_along_axis(x, argsort(x, axis), axis)


def partition(x: Array, kth: int, axis: int = -1) -> Any:
    """Return x reordered along `axis`: its kth smallest in its sorted place, smaller elements before, larger after.

    Args:
        x: Real numbers of any shape with at least one axis.
        kth: The place, counted from 0.
        axis: The axis, by default the last.

    Returns:
        The shape and dtype of x.

    Raises:
        TypeError: x is complex.
        ValueError: There is no such place.
        AxisError: x lacks the axis.

    Source: `numpy.partition`.
    """
    check_real("partition", x)
    return take_along_axis(x, backend_of(raw(x)).xp.argpartition(raw(x), kth, axis), axis)


def topk(x: Array, k: int, axis: int = -1, largest: bool = True) -> tuple[Any, Array]:
    """Return the k largest elements along `axis`, or the k smallest, in order, and their indices.

    Args:
        x: Real numbers of any shape with at least one axis.
        k: How many elements, at most the length of the axis.
        axis: The axis, by default the last.
        largest: Whether the largest elements are taken instead of the smallest.

    Returns:
        A pair: the elements, with the shape of x and length k along the axis, and their indices, a plain array of
        integers. NaN counts as the largest, and of equal elements the first comes first.

    Raises:
        TypeError: x is complex.
        ValueError: k is negative, or larger than the length of the axis.
        AxisError: x lacks the axis.

    Source: `torch.topk`.
    """
    check_real("topk", x)
    axis = normalize_axis_index(axis, x.ndim, "`topk`")
    if not 0 <= k <= x.shape[axis]:
        raise ValueError(f"`topk` needs 0 <= k <= {x.shape[axis]}, the length of axis {axis}, not {k}")
    # The ascending order, and for the largest that of x backwards: of equal elements the first comes first in both.
    order = x.shape[axis] - 1 - flip(argsort(flip(raw(x), axis), axis), axis) if largest else argsort(x, axis)
    order = take(order, np.arange(k), axis)
    return take_along_axis(x, order, axis), order


def kthvalue(x: Array, k: int, axis: int = -1) -> Any:
    """Return the kth smallest element along `axis`, counted from 1 as in PyTorch.

    Args:
        x: Real numbers of any shape with at least one axis.
        k: Which element, from 1 to the length of the axis.
        axis: The axis, by default the last.

    Returns:
        The shape of x without the axis, and its dtype.

    Raises:
        TypeError: x is complex.
        ValueError: k is less than 1, or larger than the length of the axis.
        AxisError: x lacks the axis.

    Source: the values of `torch.kthvalue`, without indices.
    """
    check_real("kthvalue", x)
    axis = normalize_axis_index(axis, x.ndim, "`kthvalue`")
    if not 1 <= k <= x.shape[axis]:
        raise ValueError(f"`kthvalue` needs 1 <= k <= {x.shape[axis]}, the length of axis {axis}, not {k}")
    return squeeze(take_along_axis(x, take(argsort(x, axis), np.arange(k - 1, k), axis), axis), axis=axis)


Method = Literal["linear", "lower", "higher", "midpoint", "nearest"]

_ONE_ELEMENT = {"lower": "floor", "higher": "ceil", "nearest": "rint"}
"""The rounding of a place between two elements, for the methods that select one of them."""


def quantile(
    x: Array,
    q: float | Sequence[float] | Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    method: Method = "linear",
) -> Any:
    """Return quantiles along `axis`, by default interpolated linearly between the two nearest elements.

    Args:
        x: Real numbers of any shape, not empty.
        q: One or more probabilities. If q is a Tensor and the method is linear, the result is differentiable with
            respect to q too.
        axis: The axis reduced, by default all of them.
        keepdims: Whether the reduced axis is kept, with length 1.
        method: The choice between the two nearest elements, with NumPy's names.

    Returns:
        The shape of x without the axis; several probabilities form the first axis. NaN where an element is NaN.

    Raises:
        TypeError: x is complex.
        ValueError: A probability is outside [0, 1], or the method is unknown.
        IndexError: x is empty.
        AxisError: x lacks the axis.

    Source: `numpy.quantile`.
    """
    check_real("quantile", x)
    if method not in get_args(Method):
        raise ValueError(f"`method` must be one of {', '.join(f'`{m}`' for m in get_args(Method))}, not `{method}`")
    levels = raw(q) if isinstance(q, Tensor) else backend_of(q).xp.asarray(q, dtype=float)
    if not everywhere((levels >= 0) & (levels <= 1)):
        raise ValueError(f"a quantile needs probabilities between 0 and 1, not {q}")
    if axis is None:
        kept: tuple[int, ...] = (1,) * x.ndim
        x, axis = reshape(x, -1), 0
    else:
        axis = normalize_axis_index(axis, x.ndim, "`quantile`")
        kept = tuple(1 if k == axis else n for k, n in enumerate(x.shape))
    xp = backend_of(levels if isinstance(q, Tensor) else raw(x)).xp
    ordered = sort(x, axis)
    missing = xp.isnan(raw(take(ordered, np.asarray(-1), axis)))  # NaN is sorted last
    results = []
    for level in reshape(q if isinstance(q, Tensor) else levels, -1):
        place = level * (x.shape[axis] - 1)
        if method in _ONE_ELEMENT:
            result = take(ordered, xp.asarray(getattr(xp, _ONE_ELEMENT[method])(raw(place)), int), axis)
        else:
            low, high = xp.floor(raw(place)), xp.ceil(raw(place))
            part: Any = place - low if method == "linear" else 0.5
            if method == "linear" and not isinstance(q, Tensor) and x.dtype.kind == "f":
                part = part.astype(x.dtype)  # a number does not determine the dtype
            below, above = (take(ordered, xp.asarray(k, int), axis) for k in (low, high))
            result = below + part * (above - below)
        # Elsewhere than on the CPU a look at the values would make the host wait.
        if xp is not np or not everywhere(~missing):
            result = where(missing, math.nan, result)
        results.append(reshape(result, kept) if keepdims else result)
    if levels.ndim == 0:
        return results[0]
    return stack(results)


def median(x: Array, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the middle element along `axis`, or the mean of the two middle ones.

    Args:
        x: Real numbers of any shape, not empty.
        axis: The axis reduced, by default all of them.
        keepdims: Whether the reduced axis is kept, with length 1.

    Returns:
        The shape of x without the axis; its dtype, and for integers floating-point numbers. NaN where an element is
        NaN.

    Raises:
        TypeError: x is complex.
        IndexError: x is empty.
        AxisError: x lacks the axis.

    Source: `numpy.median`.
    """
    check_real("median", x)
    return quantile(x, 0.5, axis, keepdims)
