"""Reading elements by index, and the adjoint of it: adding into them."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

import numpy as np

from autodrill.engine.backend import Array, Namespace, backend_of
from autodrill.engine.ops.elementwise import add
from autodrill.engine.ops.shape import broadcast_to, reshape
from autodrill.engine.primitive import primitive
from autodrill.engine.tensor import raw

__all__ = ["getitem", "index_add", "index_scatter", "scatter_along_axis", "take_along_axis"]


def _raw_index(index: Any) -> Any:
    return tuple(raw(part) for part in index) if isinstance(index, tuple) else raw(index)


def _is_basic(index: Any) -> bool:
    """Whether the index selects by slices and integers only, so that no element is selected twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or isinstance(part, (int, slice, EllipsisType)) for part in parts)


@primitive(view=True)
def _getitem(xp: Namespace, x: Array, *, index: Any) -> Array:  # noqa: ARG001 - a method of the array
    found = x[index]
    if isinstance(found, np.generic):  # NumPy answers one element with a copy; a tensor is to be a view of it
        return x[(*index, ...) if isinstance(index, tuple) else (index, ...)]
    return found


@primitive
def index_scatter(xp: Namespace, values: Array, *, index: Any, shape: tuple[int, ...]) -> Array:
    """Return zeros of `shape` with `values` added at `index`, once for every repeat: the adjoint of indexing."""
    out = xp.zeros(shape, values.dtype)
    if _is_basic(index):
        out[index] = values
    else:
        backend_of(out).scatter_add(out, index, values)
    return out


_getitem.vjp(x=lambda g, x_shape, index: index_scatter(g, index=index, shape=x_shape))
_getitem.jvp("linear")
index_scatter.vjp(values=lambda g, index: _getitem(g, index=index))
index_scatter.jvp("linear")


def getitem(x: Array, index: Any) -> Any:
    """Return `x[index]`, for any index NumPy takes; integer and boolean Tensors index as their arrays do."""
    return _getitem(x, index=_raw_index(index))


def index_add(x: Array, index: Any, values: Array) -> Any:
    """Return a copy of x with `values` added at `index`; an index that occurs twice is added to twice."""
    index = _raw_index(index)
    selected = raw(x)[index].shape
    return add(x, index_scatter(broadcast_to(values, selected), index=index, shape=x.shape))


def _grid(xp: Namespace, indices: Array, axis: int) -> tuple[Array, ...]:
    """Return the index that selects `indices` along `axis` and stays in place along every other axis."""
    ndim = indices.ndim
    grid = [xp.arange(n).reshape([-1 if k == d else 1 for k in range(ndim)]) for d, n in enumerate(indices.shape)]
    grid[axis % ndim] = indices
    return tuple(grid)


@primitive
def _take_along_axis(xp: Namespace, x: Array, indices: Array, *, axis: int = -1) -> Array:
    """Return, along `axis`, the elements of x at `indices`, an integer array of x's shape but for that axis."""
    return xp.take_along_axis(x, indices, axis)


@primitive
def scatter_along_axis(
    xp: Namespace, values: Array, indices: Array, *, shape: tuple[int, ...], axis: int = -1
) -> Array:
    """Return zeros of `shape` with `values` added at `indices` along `axis`: the adjoint of `take_along_axis`."""
    out = xp.zeros(shape, values.dtype)
    backend_of(out).scatter_add(out, _grid(xp, indices, axis), values)
    return out


_take_along_axis.vjp(
    x=lambda g, x_shape, indices, axis: scatter_along_axis(g, raw(indices), shape=x_shape, axis=axis), indices=None
)
_take_along_axis.jvp("linear")
scatter_along_axis.vjp(values=lambda g, indices, axis: _take_along_axis(g, raw(indices), axis), indices=None)
scatter_along_axis.jvp("linear")


def take_along_axis(x: Array, indices: Array, axis: int | None = -1) -> Any:
    """Return, along `axis`, the elements of x at `indices`; the other axes broadcast, and for None x is flattened."""
    if axis is None:
        return _take_along_axis(reshape(x, -1), indices, axis=0)
    axis %= x.ndim
    sizes = [shape[:axis] + shape[axis + 1 :] for shape in (x.shape, indices.shape)]
    if sizes[0] != sizes[1]:
        others = np.broadcast_shapes(*sizes)
        x, indices = (broadcast_to(v, (*others[:axis], v.shape[axis], *others[axis:])) for v in (x, raw(indices)))
    return _take_along_axis(x, indices, axis=axis)
