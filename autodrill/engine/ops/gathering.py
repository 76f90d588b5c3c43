"""Reading and writing by index along one axis, PyTorch's names; writing is functional: it returns a new array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.backend import backend_of
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import _grid, _raw_index, getitem, index_scatter, scatter_along_axis
from autodrill.engine.ops.shape import broadcast_to
from autodrill.engine.tensor import raw

if TYPE_CHECKING:
    from autodrill.engine.backend import Array

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
    return index_scatter(source, index=_grid(backend_of(raw(x)).xp, raw(index), axis), shape=x.shape)


def scatter_add(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` added where `index` says along `axis`: `gather` in reverse."""
    return x + _added(x, axis, index, source)


def scatter(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` in place of the one at `index` along `axis`, which must be distinct."""
    written = backend_of(raw(x)).xp.zeros(x.shape, bool)
    written[_grid(backend_of(raw(x)).xp, raw(index), axis)] = True
    return where(written, _added(x, axis, index, source), x)


def put_along_axis(x: Array, indices: Array, values: Array, axis: int = -1) -> Any:
    """Return x with `values` at `indices` along `axis`, which must be distinct: what `take_along_axis` reads back."""
    indices = raw(indices)
    written = backend_of(raw(x)).xp.zeros(x.shape, bool)
    written[_grid(backend_of(raw(x)).xp, indices, axis)] = True
    placed = scatter_along_axis(broadcast_to(values, indices.shape), indices, shape=x.shape, axis=axis)
    return where(written, placed, x)


def index_put(x: Array, index: Any, values: Array) -> Any:
    """Return x with `values` at `index`, any index NumPy takes that names no element twice: `x[index] = values`."""
    index = _raw_index(index)
    written = backend_of(raw(x)).xp.zeros(x.shape, bool)
    written[index] = True
    shape = written[index].shape
    return where(written, index_scatter(broadcast_to(values, shape), index=index, shape=x.shape), x)


def index_fill(x: Array, axis: int, index: Any, value: float) -> Any:
    """Return x with `value` in the slices along `axis` at a vector of integers; no gradient passes there."""
    written = backend_of(raw(x)).xp.zeros(x.shape, bool)
    written[(*(slice(None),) * (axis % x.ndim), raw(index))] = True
    return where(written, value, x)


def index_copy(x: Array, axis: int, index: Any, source: Array) -> Any:
    """Return x with the slices of `source` in place of those along `axis` at a vector of distinct integers."""
    return index_put(x, (*(slice(None),) * (axis % x.ndim), raw(index)), source)
