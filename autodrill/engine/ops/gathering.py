"""Indexing along one axis under PyTorch's names; writes are functional and return a new array."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.declaration import place
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.arrange import take
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import _grid, _raw_index, getitem, index_scatter, met, scatter_along_axis
from autodrill.engine.ops.reduce import max, min, prod  # noqa: A004 - NumPy's names
from autodrill.engine.ops.shape import along, broadcast_to, concatenate, expand_dims, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "as_strided", "as_strided_scatter", "gather", "index_copy", "index_fill", "index_put", "index_reduce",
    "index_select", "masked_scatter", "put_along_axis", "scatter", "scatter_add", "scatter_reduce",
]
# fmt: on


def index_select(x: Array, axis: int, index: Any) -> Any:
    """Return the slices of x along `axis` at a vector of integers.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, shape (K,); negative ones count from the end.

    Returns:
        The shape of x with the length K along the axis.

    Raises:
        IndexError: An index is outside the axis.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.index_select`.
    """
    return take(x, index, axis)


def gather(x: Array, axis: int, index: Array) -> Any:
    """Return the element of x at each place of `index`, with the value of `index` as the position along `axis`.

    For axis 0 of a matrix, the result at (i, j) is x[index[i, j], j].

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, with as many axes as x; it may be shorter than x along the other axes.

    Returns:
        The shape of `index`.

    Raises:
        IndexError: An index is outside the axis or not an integer, or `index` is longer than x along another axis.
        ValueError: `index` has another number of axes.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.gather`.
    """
    return getitem(x, _places(x, axis, index))


def _places(x: Array, axis: int, index: Array) -> Any:
    """Return the index of the elements of x that `index` chooses along `axis`."""
    index = raw(index)
    if index.ndim != x.ndim:
        raise ValueError(f"`index` needs as many axes as the array, {x.ndim}, and has {index.ndim}")
    return _grid(backend_of(raw(x)).xp, index, axis)


def _added(x: Array, axis: int, index: Array, source: Array) -> Any:
    index = _places(x, axis, index)
    return index_scatter(met(source, index), index=index, shape=x.shape)


def _touched(x: Array, index: Any) -> Array:
    """Return a mask of the elements of x that an index selects."""
    nowhere = backend_of(memory(raw(x))).xp.zeros(x.shape)
    return index_scatter(met(getitem(nowhere, index) + 1, index), index=index, shape=x.shape) != 0


def scatter_add(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with each element of `source` added at `index` along `axis`: the adjoint of `gather`.

    For axis 0 of a matrix, source[i, j] is added to x[index[i, j], j].

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, with as many axes as x; it may be shorter than x along the other axes.
        source: Values of the shape of `index`.

    Returns:
        The shape of x.

    Raises:
        IndexError: An index is outside the axis or not an integer, or `index` is longer than x along another axis.
        ValueError: `index` has another number of axes, or `source` does not broadcast to its shape.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.scatter_add`.
    """
    return x + _added(x, axis, index, source)


def scatter(x: Array, axis: int, index: Array, source: Array) -> Any:
    """Return x with the elements at `index` along `axis` replaced by `source`.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, with as many axes as x, that lead to distinct places; it may be shorter than x along the other
            axes.
        source: Values of the shape of `index`.

    Returns:
        The shape of x.

    Raises:
        IndexError: An index is outside the axis or not an integer, or `index` is longer than x along another axis.
        ValueError: `index` has another number of axes, or `source` does not broadcast to its shape.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.scatter`.
    """
    written = _touched(x, _places(x, axis, index))
    return where(written, _added(x, axis, index, source), x)


def put_along_axis(x: Array, indices: Array, values: Array, axis: int = -1) -> Any:
    """Return x with `values` at distinct `indices` along `axis`, from which `take_along_axis` reads them back.

    Args:
        x: Values with at least one axis.
        indices: Integers with as many axes as x, and with the lengths of x except along `axis`.
        values: Values that broadcast to the shape of `indices`.
        axis: The axis along which `indices` choose.

    Returns:
        The shape of x.

    Raises:
        IndexError: An index is outside the axis, or not an integer.
        ValueError: `indices` have another number of axes, or the values do not broadcast to their shape.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.put_along_axis`, which writes in place.
    """
    indices, axis = raw(indices), place(axis, x.ndim)
    written = _touched(x, _places(x, axis, indices))
    placed = scatter_along_axis(broadcast_to(values, indices.shape), indices, shape=x.shape, axis=axis)
    return where(written, placed, x)


def index_put(x: Array, index: Any, values: Array) -> Any:
    """Return x after `x[index] = values`.

    Args:
        x: Values of any shape.
        index: Any index of NumPy that selects no element twice.
        values: Values that broadcast to the shape of `x[index]`.

    Returns:
        The shape of x.

    Raises:
        IndexError: The index does not fit x.
        ValueError: The values do not broadcast to `x[index]`.

    Source: agrees with `torch.index_put`, whose index is a tuple of Tensors.
    """
    index = _raw_index(index)
    shape = getitem(raw(x), index).shape
    placed = index_scatter(met(broadcast_to(values, shape), index), index=index, shape=x.shape)
    return where(_touched(x, index), placed, x)


def index_fill(x: Array, axis: int, index: Any, value: Any) -> Any:
    """Return x with `value` in the slices along `axis` given by a vector of integers.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, shape (K,).
        value: A number or a Tensor, to which the gradient of the slices goes.

    Returns:
        The shape of x.

    Raises:
        IndexError: An index is outside the axis.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.index_fill`.
    """
    return where(_touched(x, (*(slice(None),) * place(axis, x.ndim), raw(index))), value, x)


def index_copy(x: Array, axis: int, index: Any, source: Array) -> Any:
    """Return x with the slices along `axis`, given by a vector of distinct integers, replaced by those of `source`.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, shape (K,).
        source: The shape of x with the length K along the axis.

    Returns:
        The shape of x.

    Raises:
        IndexError: An index is outside the axis.
        ValueError: `source` does not broadcast to the slices.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.index_copy`.
    """
    return index_put(x, (*(slice(None),) * place(axis, x.ndim), raw(index)), source)


def masked_scatter(x: Array, mask: Array, source: Array) -> Any:
    """Return x with the first elements of `source`, in its order, where the mask holds.

    Args:
        x: Values; they broadcast against the mask.
        mask: Booleans, the same for all examples under `vmap`.
        source: At least as many elements as the mask has true ones.

    Returns:
        The common shape of x and the mask.

    Raises:
        ValueError: x and the mask do not broadcast, or `source` has too few elements.

    Source: agrees with `torch.masked_scatter`.
    """
    mask = backend_of(memory(raw(mask))).xp.asarray(raw(mask))
    shape = np.broadcast_shapes(x.shape, mask.shape)
    chosen = backend_of(mask).xp.broadcast_to(mask, shape)
    count = int(chosen.sum())
    if source.size < count:
        raise ValueError(f"the mask selects {count} elements, but `source` has only {source.size}")
    return index_put(broadcast_to(x, shape), chosen, reshape(source, -1)[:count])


Reduce = Literal["sum", "mean", "prod", "amax", "amin"]

_NEUTRAL = {"prod": 1, "amax": -math.inf, "amin": math.inf}


def scatter_reduce(x: Array, axis: int, index: Array, source: Array, reduce: Reduce, include_self: bool = True) -> Any:
    """Return x with the elements of `source` reduced into the places of `index` along `axis`.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, with as many axes as x; it may be shorter than x along the other axes.
        source: Values of `index`'s shape, or longer: only the part up to that shape is read.
        reduce: `"sum"`, `"mean"`, `"prod"`, `"amax"` or `"amin"`. Equal extremes share the gradient. The last three
            take memory of n times the size of `source`, for n elements of x along the axis.
        include_self: Whether the element of x takes part too. If not, it gets no gradient, except where `index` does
            not lead.

    Returns:
        The shape of x.

    Raises:
        ValueError: The reduction is unknown, `index` has another number of axes, or `source` is shorter.
        IndexError: An index is outside the axis.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.scatter_reduce`.
    """
    if reduce not in get_args(Reduce):
        raise ValueError(f"`reduce` must be one of {', '.join(f'`{m}`' for m in get_args(Reduce))}, not `{reduce}`")
    index = raw(index)
    axis = place(axis, x.ndim)
    if (
        index.ndim != x.ndim
        or source.ndim != x.ndim
        or any(n < m for n, m in zip(source.shape, index.shape, strict=True))
    ):
        raise ValueError(
            f"`index` {index.shape} needs as many axes as {x.shape}, and `source` {source.shape} that shape"
        )
    part = tuple(slice(None) if k == axis else slice(n) for k, n in enumerate(index.shape))
    own = getitem(x, part)
    source = getitem(source, tuple(slice(n) for n in index.shape))
    touched = _touched(own, _grid(backend_of(index).xp, index, axis))
    if reduce in {"sum", "mean"}:
        start = own if include_self else where(touched, 0, own)
        found = scatter_add(start, axis, index, source)
        if reduce == "mean":
            counted = raw(scatter_add(raw(own) * 0 + include_self, axis, index, raw(source) * 0 + 1))
            found = found / where(touched, counted, 1)
    else:
        # An axis for the places of the result before `axis`: what does not lead to a place is replaced there.
        places = along(backend_of(index).xp.arange(x.shape[axis]), axis, x.ndim + 1)
        hits = expand_dims(index, axis) == places
        neutral = _NEUTRAL[reduce]
        candidates = [where(hits, expand_dims(source, axis), neutral)]
        start = own if include_self else where(touched, neutral, own)
        candidates.append(expand_dims(start, axis + 1))
        found = {"prod": prod, "amax": max, "amin": min}[reduce](concatenate(candidates, axis + 1), axis=axis + 1)
        found = where(touched, found, own)
    return found if own.shape == x.shape else index_put(x, part, found)


def index_reduce(x: Array, axis: int, index: Any, source: Array, reduce: Reduce, include_self: bool = True) -> Any:
    """Return x with the slices of `source` reduced into the slices along `axis` given by a vector of integers.

    Args:
        x: Values with at least one axis.
        axis: The axis along which `index` chooses.
        index: Integers, shape (K,).
        source: The shape of x with the length K along the axis.
        reduce, include_self: As for `scatter_reduce`.

    Returns:
        The shape of x.

    Raises:
        ValueError: The reduction is unknown, or `source` does not have K slices.
        IndexError: An index is outside the axis.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `torch.index_reduce`.
    """
    places = along(raw(index), place(axis, x.ndim), x.ndim)
    if places.size != source.shape[axis]:
        raise ValueError(f"{places.size} indices need as many slices of `source`, which has {source.shape[axis]}")
    places = places + backend_of(places).xp.zeros(source.shape, int)
    return scatter_reduce(x, axis, places, source, reduce, include_self)


def as_strided(x: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0) -> Any:
    """Return the elements of the flattened x at storage_offset + Σ iₖ strideₖ, as a copy.

    An element that is read several times gets the sum of their gradients.

    Args:
        x: Values of any shape.
        size: The shape of the result.
        stride: For each axis, the distance between neighbours in the flattened x, in elements.
        storage_offset: The place of the first element.

    Returns:
        Shape `size`.

    Raises:
        IndexError: An element is outside x.
        ValueError: `size` and `stride` differ in number.

    Source: agrees with `torch.as_strided` of contiguous x, which returns a view.
    """
    return getitem(reshape(x, -1), _strided(size, stride, storage_offset))


def as_strided_scatter(
    x: Array, source: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0
) -> Any:
    """Return x with the elements that `as_strided` would read replaced by those of `source`; all must be distinct.

    Args:
        x: Values of any shape.
        source: Values that broadcast to `size`.
        size, stride, storage_offset: As for `as_strided`.

    Returns:
        The shape of x.

    Raises:
        IndexError: An element is outside x.
        ValueError: `source` does not broadcast to `size`.

    Source: agrees with `torch.as_strided_scatter` of contiguous x.
    """
    return reshape(index_put(reshape(x, -1), _strided(size, stride, storage_offset), source), x.shape)


def _strided(size: Sequence[int], stride: Sequence[int], offset: int) -> Any:
    places = np.full(tuple(size), offset)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        places = places + along(np.arange(length) * step, axis, len(size))
    return places
