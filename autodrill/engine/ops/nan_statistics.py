"""Extremes, products, variances and quantiles of all elements except NaN, under NumPy's names.

`nansum` and `nanmean` are in `statistics`. An element that is NaN gets a gradient of exactly 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of, everywhere, floating
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import sqrt, where
from autodrill.engine.ops.index import take_along_axis
from autodrill.engine.ops.norms import vector_norm
from autodrill.engine.ops.ordering import sort
from autodrill.engine.ops.parts import absolute
from autodrill.engine.ops.reduce import Axis, _kept, cumsum, max, min, prod, sum  # noqa: A004 - NumPy's names
from autodrill.engine.ops.shape import reshape, squeeze, stack
from autodrill.engine.ops.statistics import nansum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

__all__ = ["nancumsum", "nanmax", "nanmedian", "nanmin", "nanprod", "nanquantile", "nanstd", "nanvar"]


def _known(x: Array) -> Array:
    return raw(x) == raw(x)  # False for NaN alone


def _extreme(name: str, x: Array, axis: Axis, keepdims: bool, *, largest: bool) -> Any:
    check_real(name, x)
    known = _known(x)
    found = (max if largest else min)(where(known, x, -math.inf if largest else math.inf), axis=axis, keepdims=keepdims)
    return where(known.any(axis=axis, keepdims=keepdims), found, math.nan)


@behaves("reduction")
def nanmax(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the maximum over `axis` of all elements except NaN, and NaN if all are NaN; ties share the gradient.

    Raises:
        ValueError: There is no element.

    Source: `numpy.nanmax`; derivative as in `torch.amax`.
    """
    return _extreme("nanmax", x, axis, keepdims, largest=True)


@behaves("reduction")
def nanmin(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the minimum over `axis` of all elements except NaN, and NaN if all are NaN; ties share the gradient.

    Raises:
        ValueError: There is no element.

    Source: `numpy.nanmin`; derivative as in `torch.amin`.
    """
    return _extreme("nanmin", x, axis, keepdims, largest=False)


@behaves("reduction", complex="complex", integers=True)
def nanprod(x: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the product over `axis` of all elements except NaN.

    Source: `numpy.nanprod`.
    """
    return prod(where(_known(x), x, 1), axis=axis, keepdims=keepdims)


def nancumsum(x: Array, axis: int | None = None) -> Any:
    """Return the running sum along `axis`, by default of the flattened elements, with 0 in place of NaN.

    Args:
        x: Real or complex numbers of any shape.
        axis: The axis; None flattens x first.

    Returns:
        The shape and dtype of x; shape (x.size,) for `axis=None`.

    Raises:
        AxisError: x lacks the axis.

    Source: `numpy.nancumsum`.
    """
    return cumsum(where(_known(x), x, 0), axis=axis)


def _deviations(x: Array, axis: Axis, ddof: float) -> tuple[Any, Any]:
    """Return the deviations from the mean, 0 for NaN, and the divisor of their squares, NaN if it is not positive."""
    known, kept = _known(x), floating(raw(x)).dtype
    count = known.sum(axis=axis, keepdims=True)
    xp = backend_of(count).xp
    mean = nansum(x, axis, keepdims=True) / xp.maximum(count, 1).astype(kept)
    centred = where(known, x - mean, 0)
    divisor = count - ddof
    return centred, xp.where(divisor > 0, divisor, math.nan).astype(absolute(floating(raw(x))).dtype)


@behaves("reduction", complex="real")
def nanvar(x: Array, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """Return the variance over `axis` of the N elements that are not NaN, with divisor N - ddof; NaN if that is 0.

    Args:
        ddof: Subtracted from N: 0 for the variance of the elements, 1 for an estimate from a sample.

    Source: `numpy.nanvar`.
    """
    centred, divisor = _deviations(x, axis, ddof)
    found = sum((centred * centred.conj()).real, axis=axis, keepdims=True) / divisor
    return found if keepdims else reshape(found, sum(raw(x), axis=axis).shape)


@behaves("reduction", complex="real")
def nanstd(x: Array, axis: Axis = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """Return the square root of `nanvar`; as for a norm, its subgradient at 0 is 0.

    Args:
        ddof: Subtracted from the number N of elements, as in `nanvar`.

    Source: `numpy.nanstd`.
    """
    centred, divisor = _deviations(x, axis, ddof)
    found = vector_norm(centred, 2, axis, keepdims=True) / sqrt(divisor)
    return found if keepdims else reshape(found, sum(raw(x), axis=axis).shape)


def nanquantile(x: Array, q: float | Sequence[float] | Tensor, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return quantiles of all elements except NaN, interpolated linearly between the two nearest elements.

    Args:
        x: Real numbers of any shape, not empty.
        q: One or more probabilities. If q is a Tensor, the result is differentiable with respect to it too.
        axis: The axis reduced, by default all of them.
        keepdims: Whether the reduced axis is kept, with length 1.

    Returns:
        The shape of x without the axis; several probabilities form the first axis. NaN where all elements are NaN.

    Raises:
        TypeError: x is complex.
        ValueError: A probability is outside [0, 1].
        IndexError: x is empty.
        AxisError: x lacks the axis.

    Source: `numpy.nanquantile`.
    """
    check_real("nanquantile", x)
    levels = raw(q) if isinstance(q, Tensor) else backend_of(q).xp.asarray(q, dtype=float)
    if not everywhere((levels >= 0) & (levels <= 1)):
        raise ValueError(f"a quantile needs probabilities between 0 and 1, not {q}")
    kept = _kept(x.shape, axis)
    if axis is None:
        x, axis = reshape(x, -1), 0
    known = _known(x)
    ordered = sort(where(known, x, math.inf), axis)
    count = known.sum(axis=axis, keepdims=True)
    known_any = count > 0
    xp = backend_of(count).xp
    results = []
    for level in reshape(q, -1) if isinstance(q, Tensor) else levels.reshape(-1):
        place = level * xp.maximum(count - 1, 0)
        low, high = xp.floor(raw(place)), xp.ceil(raw(place))
        below, above = (take_along_axis(ordered, xp.asarray(k, int), axis) for k in (low, high))
        part = place - low
        if not isinstance(q, Tensor):
            part = part.astype(floating(raw(x)).dtype)  # a number does not determine the dtype
        # Where all elements are NaN, both are infinite.
        between = below + part * (where(known_any, above, 0) - where(known_any, below, 0))
        found = squeeze(where(known_any, between, math.nan), axis=axis)
        results.append(reshape(found, kept) if keepdims else found)
    return stack(results) if levels.ndim else results[0]


@behaves("reduction")
def nanmedian(x: Array, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the middle one along `axis` of all elements except NaN, or the mean of the two middle ones.

    Raises:
        IndexError: x is empty.

    Source: `numpy.nanmedian`.
    """
    check_real("nanmedian", x)
    return nanquantile(x, 0.5, axis, keepdims)
