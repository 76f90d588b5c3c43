"""Indexing along one axis under PyTorch's names; writes are functional and return a new array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import _grid, _raw_index, getitem, index_scatter, met, scatter_along_axis
from autodrill.engine.ops.shape import broadcast_to

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "gather", "index_copy", "index_fill", "index_put", "index_select", "put_along_axis", "scatter", "scatter_add",
]
# fmt: on


def index_select(x: Array, axis: int, index: Any) -> Any:
    """Return the slices of x along `axis` at a vector of integers."""
    return take(x, index, axis)


def gather(x: Array, axis: int, index: Array) -> Any:
    """Return the element of x at each place of `index`, with the value of `index` as the position along `axis`.

    Args:
        x: Values of any shape.
        axis: The axis along which `index` chooses.
        index: Integers, with as many axes as x; it may be shorter than x along the other axes.
    """
    return getitem(x, _grid(backend_of(raw(x)).xp, raw(index), axis))


def _added(x: Array, axis: int, index: Array, source: Array) -> Any:
    index = _grid(backend_of(raw(x)).xp, raw(index), axis)
    return index_scatter(met(source, index), index=index, shape=x.shape)


def _touched(shape: tuple[int, ...], index: Any) -> Array:
    """Return a mask of the elements that an index selects."""
    parts = [memory(part) for part in index] if isinstance(index, tuple) else [memory(index)]
    nowhere = backend_of(*parts).xp.zeros(shape)
    return index_scatter(met(getitem(nowhere, index) + 1, index), index=index, shape=shape) != 0


def scatter_add(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` added at `index` along `axis`: the adjoint of `gather`."""
    return x + _added(x, axis, index, source)


def scatter(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with the elements at `index` along `axis` replaced by `source`; the places must be distinct."""
    written = _touched(x.shape, _grid(backend_of(raw(x)).xp, raw(index), axis))
    return where(written, _added(x, axis, index, source), x)


def put_along_axis(x: Array, indices: Array, values: Array, axis: int = -1) -> Any:
    """Return x with `values` at distinct `indices` along `axis`, from which `take_along_axis` reads them back."""
    indices = raw(indices)
    written = _touched(x.shape, _grid(backend_of(raw(x)).xp, indices, axis))
    placed = scatter_along_axis(broadcast_to(values, indices.shape), indices, shape=x.shape, axis=axis)
    return where(written, placed, x)


def index_put(x: Array, index: Any, values: Array) -> Any:
    """Return x after `x[index] = values`, for any index of NumPy that selects no element twice."""
    index = _raw_index(index)
    shape = getitem(raw(x), index).shape
    placed = index_scatter(met(broadcast_to(values, shape), index), index=index, shape=x.shape)
    return where(_touched(x.shape, index), placed, x)


def index_fill(x: Array, axis: int, index: Any, value: Any) -> Any:
    """Return x with `value`, a number or a Tensor, in the slices along `axis` given by a vector of integers."""
    return where(_touched(x.shape, (*(slice(None),) * (axis % x.ndim), raw(index))), value, x)


def index_copy(x: Array, axis: int, index: Any, source: Array) -> Any:
    """Return x with the slices along `axis`, given by a vector of distinct integers, replaced by those of `source`."""
    return index_put(x, (*(slice(None),) * (axis % x.ndim), raw(index)), source)
