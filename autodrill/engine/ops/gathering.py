"""Reading and writing by index along one axis, PyTorch's names; writing is functional: it returns a new array."""

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
    """Return, at each place of `index`, the element of x at that place but with the index's value along `axis`.

    Args:
        x: Values of any shape.
        axis: The axis along which `index` chooses.
        index: Integers, as many axes as x; along the other axes it may be shorter than x.
    """
    return getitem(x, _grid(backend_of(raw(x)).xp, raw(index), axis))


def _added(x: Array, axis: int, index: Array, source: Array) -> Any:
    index = _grid(backend_of(raw(x)).xp, raw(index), axis)
    return index_scatter(met(source, index), index=index, shape=x.shape)


def _touched(shape: tuple[int, ...], index: Any) -> Array:
    """Return which elements an index names, as booleans."""
    parts = [memory(part) for part in index] if isinstance(index, tuple) else [memory(index)]
    nowhere = backend_of(*parts).xp.zeros(shape)
    return index_scatter(met(getitem(nowhere, index) + 1, index), index=index, shape=shape) != 0


def scatter_add(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` added where `index` says along `axis`: `gather` in reverse."""
    return x + _added(x, axis, index, source)


def scatter(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` in place of the one at `index` along `axis`, which must be distinct."""
    written = _touched(x.shape, _grid(backend_of(raw(x)).xp, raw(index), axis))
    return where(written, _added(x, axis, index, source), x)


def put_along_axis(x: Array, indices: Array, values: Array, axis: int = -1) -> Any:
    """Return x with `values` at `indices` along `axis`, which must be distinct: what `take_along_axis` reads back."""
    indices = raw(indices)
    written = _touched(x.shape, _grid(backend_of(raw(x)).xp, indices, axis))
    placed = scatter_along_axis(broadcast_to(values, indices.shape), indices, shape=x.shape, axis=axis)
    return where(written, placed, x)


def index_put(x: Array, index: Any, values: Array) -> Any:
    """Return x with `values` at `index`, any index NumPy takes that names no element twice: `x[index] = values`."""
    index = _raw_index(index)
    shape = getitem(raw(x), index).shape
    placed = index_scatter(met(broadcast_to(values, shape), index), index=index, shape=x.shape)
    return where(_touched(x.shape, index), placed, x)


def index_fill(x: Array, axis: int, index: Any, value: float) -> Any:
    """Return x with `value` in the slices along `axis` at a vector of integers; no gradient passes there."""
    return where(_touched(x.shape, (*(slice(None),) * (axis % x.ndim), raw(index))), value, x)


def index_copy(x: Array, axis: int, index: Any, source: Array) -> Any:
    """Return x with the slices of `source` in place of those along `axis` at a vector of distinct integers."""
    return index_put(x, (*(slice(None),) * (axis % x.ndim), raw(index)), source)
