"""Indexing, and its adjoint: addition into the selected elements."""

from __future__ import annotations

from types import EllipsisType
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import Array, BatchError, Namespace, backend_of, memory
from autodrill.engine.core.declaration import behind, place
from autodrill.engine.core.mode import mode
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import add
from autodrill.engine.ops.shape import along, broadcast_to, moveaxis, reshape
from autodrill.engine.transforms.batched_array import Batched, aligned, in_front, levels_of, refuse_unbatched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.transforms.batched_array import Level

__all__ = ["getitem", "index_add", "index_scatter", "scatter_along_axis", "take_along_axis"]


def _raw_index(index: Any) -> Any:
    return tuple(raw(part) for part in index) if isinstance(index, tuple) else raw(index)


def _index_there(index: Any, xp: Namespace) -> Any:
    """Return an index with lists and NumPy's arrays as arrays of another library, so that backward copies none."""
    if isinstance(index, tuple):
        return tuple(_index_there(part, xp) if isinstance(part, (list, np.ndarray)) else part for part in index)
    if isinstance(index, list):
        return xp.asarray(index, None if index else int)
    return xp.asarray(index) if isinstance(index, np.ndarray) else index


def may_repeat(index: Any) -> bool:
    """Whether an index may select an element twice; an index of slices and integers does not."""
    parts = index if isinstance(index, tuple) else (index,)
    return not all(part is None or isinstance(part, (int, np.integer, slice, EllipsisType)) for part in parts)


def met(x: Any, index: Any) -> Any:
    """Return x with the examples by which its index differs under `vmap`, so that the result has these examples too."""
    there = levels_of(raw(x))
    levels = [level for level in levels_of(*(index if isinstance(index, tuple) else (index,))) if level not in there]
    if not levels:
        return x
    from autodrill.engine.transforms.vmap_boundary import lift

    return lift(x if hasattr(x, "dtype") else backend_of(x).xp.asarray(x), levels=tuple(levels))


def _examples_index(
    index: Any, ndim: int, levels: Sequence[Level], batch: tuple[int, ...]
) -> tuple[tuple[Any, ...], int, int] | None:
    """Return the index of the whole memory for an example's index with arrays; None for an index without arrays.

    The leading axes of the examples are indexed by arrays too. So NumPy puts the axes that the arrays select first:
    those of the examples, then those to which the example's own index arrays broadcast.

    Returns:
        The index; the number of axes to which the example's own arrays broadcast; and the position of these axes in
        the result of one example.
    """
    parts = list(index) if isinstance(index, tuple) else [index]
    if not may_repeat(index):
        return None
    xp = backend_of(*(memory(part) for part in parts)).xp
    arrays: list[Any] = []
    for part in parts:
        if part is None or isinstance(part, (slice, EllipsisType)):
            arrays.append(part)
            continue
        array = part if hasattr(part, "dtype") else xp.asarray(part)
        if array.dtype.kind == "b":
            if type(array) is Batched:
                raise BatchError(
                    "a mask that differs by example selects different numbers of elements, so `x[mask]` has no shape "
                    "under `vmap`; use `where(mask, x, 0)`"
                )
            arrays.extend(xp.nonzero(array) if array.ndim else [array])
        else:
            arrays.append(array)
    used = sum(not (part is None or isinstance(part, EllipsisType)) for part in arrays)
    rest = (slice(None),) * (ndim - used)
    gap = next((k for k, part in enumerate(arrays) if isinstance(part, EllipsisType)), len(arrays))
    arrays[gap : gap + 1] = rest
    places = [k for k, part in enumerate(arrays) if hasattr(part, "dtype")]
    first, last = places[0], places[-1]
    start = first if last - first + 1 == len(places) else 0
    width = max(arrays[k].ndim for k in places)
    count = len(batch)
    for k in places:
        array = in_front(arrays[k], levels)
        own = array.shape[count:]
        arrays[k] = array.reshape(array.shape[:count] + (1,) * (width - len(own)) + own)
    grid = [along(xp.arange(n), k, count + width) for k, n in enumerate(batch)]
    return (*grid, *arrays), width, start


def _selected_examples(
    x: Array, x_shape: tuple[int, ...], index: Any, levels: Sequence[Level], batch: tuple[int, ...]
) -> Array:
    found = _examples_index(index, len(x_shape), levels, batch)
    count = len(batch)
    if found is None:
        return x[((slice(None),) * count + (index if isinstance(index, tuple) else (index,)))]
    whole, width, start = found
    selected = backend_of(x).xp.broadcast_to(x, batch + x.shape[count:])[whole]
    block = range(count, count + width)
    return _in_rows(moveaxis(selected, tuple(block), tuple(k + start for k in block)))


def _scattered_examples(
    values: Array,
    index: Any,
    shape: tuple[int, ...],
    levels: Sequence[Level],
    batch: tuple[int, ...],
) -> Array:
    count = len(batch)
    xp = backend_of(values).xp
    out = xp.zeros(batch + tuple(shape), values.dtype)
    found = _examples_index(index, len(shape), levels, batch)
    if found is None:
        out[((slice(None),) * count + (index if isinstance(index, tuple) else (index,)))] = values
        return out
    whole, width, start = found
    block = range(count, count + width)
    backend_of(out).scatter_add(out, whole, moveaxis(values, tuple(k + start for k in block), tuple(block)))
    return out


def write_examples(target: Batched, index: Any, values: Any) -> None:
    """Write `values`, which broadcast, to the elements at `index` of each example's memory.

    Raises:
        BatchError: The values or the index differ by examples, and `target` does not.
    """
    parts = index if isinstance(index, tuple) else (index,)
    refuse_unbatched(target, [values, *parts], "x[...] = values")
    selected = getitem(target, index)
    count = len(target.levels)
    new = backend_of(target.data).constant(values) if type(values) is not Batched else values
    if hasattr(new, "shape"):
        new = broadcast_to(aligned([new, selected], target.levels)[0], selected.data.shape)
    found = _examples_index(index, target.ndim, target.levels, target.data.shape[:count])
    if found is None:
        target.data[((slice(None),) * count + parts)] = new
        return
    whole, width, start = found
    block = range(count, count + width)
    target.data[whole] = moveaxis(new, tuple(k + start for k in block), tuple(block)) if hasattr(new, "shape") else new


@primitive(view=True)
def _getitem(xp: Namespace, x: Array, *, index: Any) -> Array:  # noqa: ARG001 - a method of the array
    found = x[index]
    if isinstance(found, np.generic):  # NumPy returns a copy of one element; the result here is a view
        return x[(*index, ...) if isinstance(index, tuple) else (index, ...)]
    return _in_rows(found) if may_repeat(index) else found


def _in_rows(copied: Array) -> Array:
    """Return a copy with its last axis next to each other in memory, so that `reshape` of it is a view.

    NumPy puts the axes that arrays select first in memory.
    """
    return copied if copied.flags.c_contiguous else copied.copy(order="C")


@primitive
def index_scatter(xp: Namespace, values: Array, *, index: Any, shape: tuple[int, ...]) -> Array:
    """Return zeros of `shape` with `values` added at `index`, which may repeat: the adjoint of indexing.

    Args:
        values: Values of the shape that `index` selects.
        index: Any index of NumPy into an array of `shape`.
        shape: The shape of the result.

    Returns:
        Shape `shape`.

    Raises:
        IndexError: The index does not fit the shape.
        ValueError: The values do not broadcast to the selected elements.

    Source: agrees with `numpy.add.at` on zeros.
    """
    out = xp.zeros(shape, values.dtype)
    if not may_repeat(index):
        out[index] = values
    else:
        backend_of(out).scatter_add(out, index, values)
    return out


def _add_selected(out: Array, g: Array, x_shape: tuple[int, ...], index: Any) -> None:  # noqa: ARG001 - the rule's
    if may_repeat(index):
        backend_of(out).scatter_add(out, index, g)
    else:
        out[index] += g


_getitem.vjp(x=lambda g, x_shape, index: index_scatter(g, index=index, shape=x_shape))
_getitem.add_cotangent = _add_selected
_getitem.jvp("linear")
_getitem.vmap(_selected_examples)
index_scatter.vjp(values=lambda g, index: _getitem(g, index=index))
index_scatter.jvp("linear")
index_scatter.vmap(_scattered_examples)


def getitem(x: Array, index: Any) -> Any:
    """Return `x[index]`, for any index of NumPy.

    Args:
        x: Values of any shape.
        index: Integers, slices, `...`, None, integer and boolean arrays, or a tuple of them. A Tensor indexes like its
            array.

    Returns:
        The shape that NumPy's rules give. Without arrays in the index, the memory is that of x.

    Raises:
        IndexError: A position is outside its axis, there are too many indices, or the index has another type.

    Source: agrees with `numpy.ndarray.__getitem__`.
    """
    index = _raw_index(index)
    array = memory(raw(x))
    if type(array) is not np.ndarray:
        index = _index_there(index, backend_of(array).xp)
    return _getitem(met(x, index) if mode.vmaps else x, index=index)


def index_add(x: Array, index: Any, values: Array) -> Any:
    """Return a copy of x with `values` added at `index`; an element selected twice is added to twice.

    Args:
        x: Values of any shape.
        index: Any index of NumPy.
        values: Values that broadcast to the shape of `x[index]`.

    Returns:
        The shape of x.

    Raises:
        IndexError: The index does not fit x.
        ValueError: The values do not broadcast to `x[index]`.

    Source: agrees with `numpy.add.at`, which writes in place.
    """
    index = _raw_index(index)
    return add(
        x, index_scatter(met(broadcast_to(values, getitem(raw(x), index).shape), index), index=index, shape=x.shape)
    )


def _grid(xp: Namespace, indices: Array, axis: int) -> tuple[Array, ...]:
    """Return the index that selects `indices` along `axis` and the same position along every other axis."""
    ndim = indices.ndim
    grid = [along(xp.arange(n), d, ndim) for d, n in enumerate(indices.shape)]
    grid[place(axis, ndim)] = indices
    return tuple(grid)


@primitive
def _take_along_axis(xp: Namespace, x: Array, indices: Array, *, axis: int = -1) -> Array:
    """Return the elements of x at `indices` along `axis`; the indices have the shape of x except along that axis."""
    return xp.take_along_axis(x, indices, axis)


@primitive
def scatter_along_axis(
    xp: Namespace, values: Array, indices: Array, *, shape: tuple[int, ...], axis: int = -1
) -> Array:
    """Return zeros of `shape` with `values` added at `indices` along `axis`: the adjoint of `take_along_axis`.

    Args:
        values: Values of the shape of `indices`.
        indices: Integers, with the lengths of `shape` except along `axis`.
        shape: The shape of the result.
        axis: The axis along which `indices` choose.

    Returns:
        Shape `shape`.

    Raises:
        IndexError: An index is outside the axis, or not an integer.
        ValueError: The values do not broadcast to the shape of `indices`.

    Source: agrees with `torch.scatter_add` on zeros.
    """
    out = xp.zeros(shape, values.dtype)
    if indices.shape[axis] == 1:  # no element is selected twice
        out[_grid(xp, indices, axis)] = values
    else:
        backend_of(out).scatter_add(out, _grid(xp, indices, axis), values)
    return out


def _scattered_along_axis_examples(
    values: Array,
    values_shape: tuple[int, ...],
    indices: Array,
    indices_shape: tuple[int, ...],
    shape: tuple[int, ...],
    axis: int,
    batch: tuple[int, ...],
) -> Array:
    values, indices = broadcast_to(values, batch + values_shape), broadcast_to(indices, batch + indices_shape)
    return scatter_along_axis(values, indices, shape=(*batch, *shape), axis=behind(axis, len(shape)))


_take_along_axis.vjp(
    x=lambda g, x_shape, indices, axis: scatter_along_axis(g, raw(indices), shape=x_shape, axis=axis), indices=None
)
_take_along_axis.jvp("linear")
_take_along_axis.vmap(lambda x, x_shape, indices, axis: take_along_axis(x, indices, behind(axis, len(x_shape))))
scatter_along_axis.vjp(values=lambda g, indices, axis: _take_along_axis(g, raw(indices), axis), indices=None)
scatter_along_axis.jvp("linear")
scatter_along_axis.vmap(_scattered_along_axis_examples)


def take_along_axis(x: Array, indices: Array, axis: int | None = -1) -> Any:
    """Return the elements of x at `indices` along `axis`.

    Args:
        x: Values with at least one axis.
        indices: Integers with as many axes as x; all axes but `axis` broadcast against those of x.
        axis: The axis along which `indices` choose; None flattens x, and takes a vector of indices.

    Returns:
        The common shape, with the length of `indices` along `axis`.

    Raises:
        IndexError: An index is outside the axis, or not an integer.
        ValueError: The shapes do not fit.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.take_along_axis`.
    """
    if axis is None:
        return _take_along_axis(reshape(x, -1), indices, axis=0)
    if x.ndim != raw(indices).ndim:
        raise ValueError(f"`indices` need as many axes as the array, {x.ndim}, and have {raw(indices).ndim}")
    axis = place(axis, x.ndim)
    sizes = [shape[:axis] + shape[axis + 1 :] for shape in (x.shape, indices.shape)]
    if sizes[0] != sizes[1]:
        others = np.broadcast_shapes(*sizes)
        x, indices = (broadcast_to(v, (*others[:axis], v.shape[axis], *others[axis:])) for v in (x, raw(indices)))
    return _take_along_axis(x, indices, axis=axis)
