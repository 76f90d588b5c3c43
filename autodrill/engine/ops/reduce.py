"""Reductions and running sums. `axis` and `keepdims` are NumPy's."""

from __future__ import annotations

import builtins
import math
from math import prod as product
from typing import TYPE_CHECKING

import numpy as np

from autodrill.engine.core.backend import NUMPY, backend_of, everywhere, memory
from autodrill.engine.core.complex_convention import inner
from autodrill.engine.core.declaration import behind
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import BY_OPERATIONS, raw
from autodrill.engine.ops.behaviour import behaves
from autodrill.engine.ops.elementwise import exp, multiply, quotient_or_zero, where
from autodrill.engine.ops.running import scan_along
from autodrill.engine.ops.shape import broadcast_to, concatenate, flip, moveaxis, reshape

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["cumsum", "logsumexp", "max", "mean", "min", "prod", "std", "sum", "var"]

Axis = int | tuple[int, ...] | None

_FEW = 256
"""An underflow is repaired for at most this number of factors; for more, the products take too much memory."""


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(k % ndim for k in (axis if isinstance(axis, tuple) else (axis,))) if ndim else ()


def _kept(shape: tuple[int, ...], axis: Axis) -> tuple[int, ...]:
    """Return the shape a reduction of `shape` has with `keepdims=True`."""
    reduced = _axes(axis, len(shape))
    return tuple(1 if k in reduced else n for k, n in enumerate(shape))


def _count(shape: tuple[int, ...], axis: Axis) -> int:
    """Return the number of elements reduced to each result."""
    return product(shape[k] for k in _axes(axis, len(shape)))


def _restored(value: Array, shape: tuple[int, ...], axis: Axis) -> Array:
    """Return a reduction's result or cotangent with the reduced axes, so that it broadcasts against the input."""
    kept = _kept(shape, axis)
    return value if value.shape == kept else reshape(value, shape=kept)


_SMALL = 4096


def _spread(g: Array, x_shape: tuple[int, ...], axis: Axis) -> Array:
    """Return the cotangent of a sum, repeated over the summed axes."""
    if type(g) in BY_OPERATIONS or product(x_shape) > _SMALL:
        return broadcast_to(_restored(g, x_shape, axis), shape=x_shape)
    out = backend_of(g).xp.empty(x_shape, g.dtype)  # for a small array, filling is faster than a broadcast view
    out[...] = g if axis is None else g.reshape(_kept(x_shape, axis))
    return out


@primitive(integers=True)
def sum(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the sum over `axis`.

    Source: `numpy.sum`.
    """
    return xp.sum(x, axis=axis, keepdims=keepdims)


sum.vjp(x=_spread)
sum.jvp("linear")
sum.vmap("axis")


@primitive
def mean(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the mean over `axis`.

    Source: `numpy.mean`.
    """
    if x.dtype.kind != "f" or x.dtype.itemsize < 4:
        return xp.mean(x, axis=axis, keepdims=keepdims)  # NumPy sums integers and half precision in a wider dtype
    return x.sum(axis=axis, keepdims=keepdims) / _count(x.shape, axis)


mean.vjp(x=lambda g, x_shape, axis: _spread(g / (_count(x_shape, axis) or 1), x_shape, axis))
mean.jvp("linear")
mean.vmap("axis")


def _product_of_others(x: Array, out: Array, axis: Axis) -> Array:
    """Return for each element the product of the others along `axis`: out / x, unless there are zeros.

    With zeros, or if the product of a few elements underflows, each product is computed separately, with its element
    replaced by 1. That takes quadratic time but is exact, and differentiable to any order.
    """
    if backend_of(memory(raw(x))) is not NUMPY:
        return _product_around(x, axis)
    divisible = everywhere(raw(x) != 0)
    if divisible and _count(x.shape, axis) <= _FEW:
        divisible = everywhere(abs(raw(out)) >= np.finfo(out.dtype).tiny)
    if divisible:
        return _restored(out, x.shape, axis) / x
    axes = _axes(axis, x.ndim)
    last = tuple(range(-len(axes), 0))
    moved = moveaxis(x, axes, last)
    rows = moved.shape[: x.ndim - len(axes)]
    n = _count(x.shape, axis)
    flat = reshape(moved, (*rows, 1, n))
    places = backend_of(raw(x)).xp.arange(n)
    eye = places[:, None] == places
    others = prod(where(eye, 1, flat), axis=-1)
    return moveaxis(reshape(others, moved.shape), last, axes)


def _product_around(x: Array, axis: Axis) -> Array:
    """Return for each element the product of the others: of those in front times those behind.

    It does not look at the values, for which the host would have to wait.
    """
    axes = _axes(axis, x.ndim)
    last = tuple(range(-len(axes), 0))
    moved = moveaxis(x, axes, last)
    flat = reshape(moved, (*moved.shape[: x.ndim - len(axes)], _count(x.shape, axis)))
    if not flat.shape[-1]:
        return x
    ones = flat[..., :1] * 0 + 1
    front = scan_along("prod", multiply, concatenate([ones, flat[..., :-1]], axis=-1), -1)
    behind = flip(scan_along("prod", multiply, concatenate([ones, flip(flat[..., 1:], -1)], axis=-1), -1), -1)
    return moveaxis(reshape(front * behind, moved.shape), last, axes)


@primitive(on_complex="holomorphic", integers=True)
def prod(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the product over `axis`; the gradient is also correct for elements that are 0.

    Source: `numpy.prod`.
    """
    return xp.prod(x, axis=axis, keepdims=keepdims)


prod.vjp(x=lambda g, x, out, axis: _restored(g, x.shape, axis) * _product_of_others(x, out, axis))
prod.jvp(lambda dx, x, out, axis, keepdims: sum(dx * _product_of_others(x, out, axis), axis=axis, keepdims=keepdims))
prod.vmap("axis")


def _share(x: Array, out: Array, axis: Axis) -> Array:
    """Return 1 / (number of ties) where x equals the extreme value, and 0 elsewhere."""
    x, out = raw(x), raw(out)
    attained = x == out.reshape(_kept(x.shape, axis))
    return attained / attained.sum(axis=axis, keepdims=True).astype(x.dtype)


def _extreme_vjp(g: Array, x: Array, out: Array, axis: Axis) -> Array:
    return _restored(g, x.shape, axis) * _share(x, out, axis)


def _extreme_jvp(dx: Array, x: Array, out: Array, axis: Axis, keepdims: bool) -> Array:
    return sum(dx * _share(x, out, axis), axis=axis, keepdims=keepdims)


@primitive(integers=True)
def max(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the maximum over `axis`; ties share the gradient equally.

    Raises:
        ValueError: There is no element to choose from.

    Source: `numpy.max`; derivative as in `torch.amax`.
    """
    return xp.max(x, axis=axis, keepdims=keepdims)


max.vjp(x=_extreme_vjp)
max.jvp(_extreme_jvp)
max.vmap("axis")


@primitive(integers=True)
def min(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the minimum over `axis`; ties share the gradient equally.

    Raises:
        ValueError: There is no element to choose from.

    Source: `numpy.min`; derivative as in `torch.amin`.
    """
    return xp.min(x, axis=axis, keepdims=keepdims)


min.vjp(x=_extreme_vjp)
min.jvp(_extreme_jvp)
min.vmap("axis")


def _from_first(x: Array, axis: Axis) -> Array:
    """Return the differences from each slice's first element: of equal elements exactly 0, which x - mean is not."""
    if x.dtype.kind not in "fc":
        return x
    reduced = _axes(axis, x.ndim)
    return x - x[tuple(slice(1) if k in reduced else slice(None) for k in range(x.ndim))]


def _centred(x: Array, axis: Axis) -> Array:
    x = _from_first(x, axis)
    return x - mean(x, axis=axis, keepdims=True)


def _freedom(x: Array, axis: Axis, ddof: int) -> float:
    """Return the divisor of a variance, N - ddof, which NumPy limits to 0; NaN in place of 0, as is the result."""
    return builtins.max(_count(x.shape, axis) - ddof, 0) or math.nan


@behaves("reduction", complex="real")
@primitive(on_complex="adjoint")
def var(xp: Namespace, x: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the variance over `axis`, Σ |x - mean|² / (N - ddof) of N elements; NaN if the divisor is not positive.

    Args:
        ddof: Subtracted from N: 0 for the variance of the elements, 1 for an estimate from a sample.

    Source: `numpy.var`.
    """
    return xp.var(_from_first(x, axis), axis=axis, ddof=ddof, keepdims=keepdims)


var.vjp(x=lambda g, x, axis, ddof: _restored(g * (2 / _freedom(x, axis, ddof)), x.shape, axis) * _centred(x, axis))
var.jvp(
    lambda dx, x, axis, ddof, keepdims: (
        2 / _freedom(x, axis, ddof) * sum(inner(dx, _centred(x, axis)), axis=axis, keepdims=keepdims)
    )
)
var.vmap("axis")


@behaves("reduction", complex="real")
@primitive(on_complex="adjoint")
def std(xp: Namespace, x: Array, *, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Array:
    """Return the standard deviation over `axis`, the square root of `var`; its subgradient for equal elements is 0.

    Args:
        ddof: Subtracted from the number N of elements, as in `var`.

    Source: `numpy.std`.
    """
    return xp.std(_from_first(x, axis), axis=axis, ddof=ddof, keepdims=keepdims)


std.vjp(
    x=lambda g, x, out, axis, ddof: (
        _restored(quotient_or_zero(g, _freedom(x, axis, ddof) * out), x.shape, axis) * _centred(x, axis)
    )
)
std.jvp(
    lambda dx, x, out, axis, ddof, keepdims: quotient_or_zero(
        sum(inner(dx, _centred(x, axis)), axis=axis, keepdims=keepdims), _freedom(x, axis, ddof) * out
    )
)
std.vmap("axis")


@primitive(on_complex="holomorphic")
def logsumexp(xp: Namespace, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return log Σ exp(x) over `axis`, without overflow.

    Raises:
        ValueError: There is no element.

    Source: `scipy.special.logsumexp`.
    """
    top = xp.max(x, axis=axis, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0)  # if all are -inf: -inf - -inf is NaN
    with np.errstate(divide="ignore"):  # log 0 = -inf is the correct result
        out = xp.log(xp.sum(xp.exp(x - top), axis=axis, keepdims=True)) + top
    return out if keepdims else xp.reshape(out, xp.sum(x, axis=axis).shape)


def _shares(x: Array, out: Array, axis: Axis) -> Array:
    """Return exp(x) / Σ exp(x): the division removes the rounding of `out`, which all elements have in common."""
    terms = exp(x - _restored(out, x.shape, axis))
    return terms / sum(terms, axis=axis, keepdims=True)


logsumexp.vjp(x=lambda g, x, out, axis: _restored(g, x.shape, axis) * _shares(x, out, axis))
logsumexp.jvp(lambda dx, x, out, axis, keepdims: sum(dx * _shares(x, out, axis), axis=axis, keepdims=keepdims))
logsumexp.vmap("axis")


@primitive
def cumsum(xp: Namespace, x: Array, *, axis: int | None = None) -> Array:
    """Return the running sum along `axis`, by default of the flattened elements.

    Args:
        x: Real or complex numbers of any shape.
        axis: The axis; None flattens x first.

    Returns:
        The shape and dtype of x; shape (x.size,) for `axis=None`.

    Raises:
        AxisError: x lacks the axis.

    Source: `numpy.cumsum`.
    """
    return xp.cumsum(x, axis=axis)


def _cumsum_vjp(g: Array, x_shape: tuple[int, ...], axis: int | None) -> Array:
    along = 0 if axis is None else axis
    return reshape(flip(cumsum(flip(g, along), along), along), x_shape)


cumsum.vjp(x=_cumsum_vjp)
cumsum.jvp("linear")
cumsum.vmap(
    lambda x, x_shape, axis, batch: (
        cumsum(reshape(x, (*batch, -1)), -1) if axis is None or not x_shape else cumsum(x, behind(axis, len(x_shape)))
    )
)
