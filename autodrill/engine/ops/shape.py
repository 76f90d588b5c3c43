"""Operations that rearrange elements. All are linear, and the adjoint of each is the inverse rearrangement."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.declaration import behind, integers
from autodrill.engine.core.primitive import primitive

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array, Namespace
    from autodrill.engine.core.declaration import Attributes

# fmt: off
__all__ = [
    "broadcast_to", "concatenate", "expand_dims", "flip", "moveaxis", "reshape", "squeeze", "stack", "swapaxes",
    "transpose",
]
# fmt: on

Shape = int | Sequence[int]


@primitive(view=True)
def reshape(xp: Namespace, x: Array, *, shape: Shape) -> Array:
    """Return the same elements in another shape, in row-major order.

    Args:
        x: Values of any shape.
        shape: The new shape, or one length. One length may be -1: it follows from the others.

    Returns:
        Shape `shape`; it shares memory with x if x is contiguous.

    Raises:
        ValueError: The new shape has another number of elements, or two lengths are -1.

    Source: agrees with `numpy.reshape`.
    """
    return xp.reshape(x, shape)


reshape.vjp(x=lambda g, x_shape: reshape(g, shape=x_shape))
reshape.jvp("linear")
reshape.vmap(lambda x, shape, batch: reshape(x, (*batch, *integers(shape))))


def _inverse(axes: Sequence[int] | None) -> tuple[int, ...] | None:
    if axes is None:
        return None
    places = [axis % len(axes) for axis in axes]
    return tuple(places.index(k) for k in range(len(places)))


def _behind_batch(axes: Sequence[int] | None, ndim: int, count: int) -> tuple[int, ...]:
    """Return a permutation of an example's axes, extended by `count` leading axes that stay in place."""
    moved = range(ndim)[::-1] if axes is None else [axis % ndim for axis in axes]
    return (*range(count), *(count + axis for axis in moved))


@primitive(view=True)
def transpose(xp: Namespace, x: Array, *, axes: Sequence[int] | None = None) -> Array:
    """Return x with its axes permuted, by default reversed.

    Args:
        x: Values of any shape.
        axes: The axes of x in their new order, each of them once.

    Returns:
        Axis k has the length of axis `axes[k]` of x; the memory is that of x.

    Raises:
        ValueError: `axes` is no permutation of the axes of x.
        numpy.exceptions.AxisError: x lacks one of `axes`.

    Source: agrees with `numpy.transpose`.
    """
    return xp.transpose(x, axes)


transpose.vjp(x=lambda g, axes: transpose(g, axes=_inverse(axes)))
transpose.jvp("linear")
transpose.vmap(lambda x, x_shape, axes, batch: transpose(x, _behind_batch(axes, len(x_shape), len(batch))))


@primitive(view=True)
def swapaxes(xp: Namespace, x: Array, *, axis1: int, axis2: int) -> Array:
    """Return x with two axes exchanged.

    Args:
        x: Values of any shape.
        axis1: One axis.
        axis2: The other axis.

    Returns:
        The shape of x with the two lengths exchanged; the memory is that of x.

    Raises:
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.swapaxes`.
    """
    return xp.swapaxes(x, axis1, axis2)


swapaxes.vjp(x=lambda g, axis1, axis2: swapaxes(g, axis1=axis1, axis2=axis2))
swapaxes.jvp("linear")
swapaxes.vmap(lambda x, x_shape, axis1, axis2: swapaxes(x, behind(axis1, len(x_shape)), behind(axis2, len(x_shape))))


@primitive(view=True)
def moveaxis(xp: Namespace, x: Array, *, source: Shape, destination: Shape) -> Array:
    """Return x with the axes `source` moved to `destination`; the others keep their order.

    Args:
        x: Values of any shape.
        source: An axis of x, or several.
        destination: Its place in the result, or a place for each.

    Returns:
        The shape of x in the new order; the memory is that of x.

    Raises:
        ValueError: `source` and `destination` differ in number, or an axis occurs twice.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.moveaxis`.
    """
    return xp.moveaxis(x, source, destination)


moveaxis.vjp(x=lambda g, source, destination: moveaxis(g, destination, source))
moveaxis.jvp("linear")
moveaxis.vmap(
    lambda x, x_shape, source, destination: moveaxis(x, behind(source, len(x_shape)), behind(destination, len(x_shape)))
)


@primitive(view=True)
def expand_dims(xp: Namespace, x: Array, *, axis: int | tuple[int, ...]) -> Array:
    """Return x with new axes of length 1 at the positions `axis` of the result.

    Args:
        x: Values of any shape.
        axis: A position, or a tuple of positions.

    Returns:
        The shape of x with a length of 1 at each position; the memory is that of x.

    Raises:
        numpy.exceptions.AxisError: The result has no such position.

    Source: agrees with `numpy.expand_dims`.
    """
    return xp.expand_dims(x, axis)


expand_dims.vjp(x=lambda g, x_shape: reshape(g, shape=x_shape))
expand_dims.jvp("linear")
expand_dims.vmap(
    lambda x, x_shape, axis: expand_dims(x, behind(axis, len(x_shape) + (len(axis) if isinstance(axis, tuple) else 1)))
)


@primitive(view=True)
def squeeze(xp: Namespace, x: Array, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return x without the axes `axis`, which have length 1.

    Args:
        x: Values of any shape.
        axis: An axis, or a tuple of axes; by default all axes of length 1.

    Returns:
        The shape of x without these axes; the memory is that of x.

    Raises:
        ValueError: One of the axes has another length than 1.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.squeeze`.
    """
    return xp.squeeze(x, axis)


squeeze.vjp(x=lambda g, x_shape: reshape(g, shape=x_shape))
squeeze.jvp("linear")
squeeze.vmap(
    lambda x, x_shape, axis: squeeze(
        x, behind(tuple(k for k, n in enumerate(x_shape) if n == 1) if axis is None else axis, len(x_shape))
    )
)


def along(v: Array, axis: int, ndim: int) -> Any:
    """Return a vector as an array of `ndim` axes that broadcasts along one of them: all others have length 1."""
    return v.reshape(tuple(-1 if k == axis % ndim else 1 for k in range(ndim)))


def unbroadcast(g: Array, shape: tuple[int, ...]) -> Array:
    """Sum a cotangent over the axes along which a value of `shape` was broadcast: the adjoint of broadcasting."""
    if g.shape == shape:
        return g
    added = g.ndim - len(shape)
    stretched = tuple(added + k for k, n in enumerate(shape) if n == 1 and g.shape[added + k] != 1)
    axes = tuple(range(added)) + stretched
    return g.sum(axis=axes, keepdims=True).reshape(shape)


def _broadcast_examples(x: Array, x_shape: tuple[int, ...], shape: Shape, batch: tuple[int, ...]) -> Array:
    shape = integers(shape)
    return broadcast_to(reshape(x, (*batch, *(1,) * (len(shape) - len(x_shape)), *x_shape)), (*batch, *shape))


@primitive(view=True)
def broadcast_to(xp: Namespace, x: Array, *, shape: Shape) -> Array:
    """Return x repeated along new axes and axes of length 1; the gradient sums over them.

    Args:
        x: Values of any shape.
        shape: The new shape. Counted from the last axis, each length of x is that of `shape`, or 1.

    Returns:
        Shape `shape`; all repetitions share the memory of x.

    Raises:
        ValueError: x does not broadcast to the shape.

    Source: agrees with `numpy.broadcast_to`.
    """
    return xp.broadcast_to(x, shape)


broadcast_to.vjp(x=lambda g, x_shape: unbroadcast(g, shape=x_shape))
broadcast_to.jvp("linear")
broadcast_to.vmap(_broadcast_examples)


@primitive
def flip(xp: Namespace, x: Array, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return a copy of x with the order of elements reversed along `axis`.

    Args:
        x: Values of any shape.
        axis: An axis, or a tuple of axes; by default all.

    Returns:
        The shape of x.

    Raises:
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.flip`, which returns a view, and with `torch.flip`.
    """
    return xp.flip(x, axis).copy()


flip.vjp(x=lambda g, axis: flip(g, axis=axis))
flip.jvp("linear")
flip.vmap("axis")


def _piece(g: Array, arrays_shape: Attributes, axis: int, position: int) -> Array:
    """Return the part of a cotangent of joined arrays that belongs to one of them."""
    ends = arrays_shape.ends(axis)
    start = ends[position - 1] if position else 0
    return g[(slice(None),) * (axis % g.ndim) + (slice(start, ends[position]),)]


def _concatenate_examples(
    arrays: Sequence[Array], arrays_shape: Sequence[tuple[int, ...]], axis: int, batch: tuple[int, ...]
) -> Array:
    whole = [broadcast_to(a, (*batch, *shape)) for a, shape in zip(arrays, arrays_shape, strict=True)]
    return _concatenate(*whole, axis=behind(axis, len(arrays_shape[0])))


@primitive
def _concatenate(xp: Namespace, *arrays: Array, axis: int) -> Array:
    return xp.concatenate(arrays, axis=axis)


_concatenate.vjp(arrays=_piece)
_concatenate.jvp("linear")
_concatenate.vmap(_concatenate_examples)


def concatenate(arrays: Sequence[Array], axis: int | None = 0) -> Any:
    """Return the arrays joined along an existing axis.

    Args:
        arrays: At least one array; all have one shape, except for the length of the joined axis.
        axis: The joined axis; None flattens the arrays first.

    Returns:
        The common shape; the length along `axis` is the sum of those of the arrays.

    Raises:
        ValueError: There are no arrays, or their other axes differ.
        numpy.exceptions.AxisError: The arrays lack the axis.

    Source: agrees with `numpy.concatenate`; PyTorch's name is `cat`.
    """
    if axis is None:
        return _joined("concatenate", [reshape(a, -1) for a in arrays], 0)
    return _joined("concatenate", [*arrays], operator.index(axis))


def stack(arrays: Sequence[Array], axis: int = 0) -> Any:
    """Return the arrays joined along a new axis.

    Args:
        arrays: At least one array; all have one shape.
        axis: The position of the new axis in the result.

    Returns:
        The common shape, with the number of arrays at position `axis`.

    Raises:
        ValueError: There are no arrays, or their shapes differ.
        numpy.exceptions.AxisError: The result has no such position.

    Source: agrees with `numpy.stack`.
    """
    return _joined("stack", [expand_dims(a, axis) for a in arrays], axis)


def _joined(name: str, arrays: Sequence[Array], axis: int) -> Any:
    if not arrays:
        raise ValueError(f"`{name}` needs at least one array")
    return _concatenate(*arrays, axis=axis)
