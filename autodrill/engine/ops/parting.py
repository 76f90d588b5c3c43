"""Shapes and pieces of arrays under PyTorch's names."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.ops.arrange import split
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.shape import broadcast_to, expand_dims, reshape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array

# fmt: off
__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "chunk", "expand", "narrow", "select", "tensor_split", "unflatten",
]
# fmt: on


def _along(x: Array, axis: int, part: Any) -> Any:
    return getitem(x, (*(slice(None),) * axis, part))


def _parts(name: str, count: Any) -> int:
    if count < 1:
        raise ValueError(f"`{name}` needs at least one part, not {count}")
    return operator.index(count)


def narrow(x: Array, axis: int, start: int, length: int) -> Any:
    """Return the `length` slices of x along `axis` that begin at `start`: x[start : start + length].

    Args:
        x: Values of any shape with at least one axis.
        axis: The axis.
        start: The first slice; a negative one counts from the end.
        length: The number of slices.

    Returns:
        The shape of x with length `length` along the axis; a view.

    Raises:
        ValueError: x lacks some of the slices.
        AxisError: x lacks the axis.

    Source: `torch.narrow`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`narrow`")
    first = start + x.shape[axis] if start < 0 else start
    if not (length >= 0 and 0 <= first <= first + length <= x.shape[axis]):
        raise ValueError(f"`narrow` has no {length} slices from {start} on axis {axis} of length {x.shape[axis]}")
    return _along(x, axis, slice(first, first + length))


def select(x: Array, axis: int, index: int) -> Any:
    """Return one slice of x along `axis`, without the axis.

    Args:
        x: Values of any shape with at least one axis.
        axis: The axis.
        index: Which slice; a negative one counts from the end.

    Returns:
        The shape of x without the axis; a view.

    Raises:
        IndexError: x lacks the slice.
        AxisError: x lacks the axis.

    Source: `torch.select`.
    """
    return _along(x, normalize_axis_index(axis, x.ndim, "`select`"), index)


def tensor_split(x: Array, sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into a number of parts, the first ones longer by one element, or before positions.

    NumPy's name is `array_split`. `torch.split` takes the length of the parts, unlike `split` here.

    Args:
        x: Values of any shape with at least one axis.
        sections: The number of parts, or the positions at which all parts but the first begin.
        axis: The axis, by default the first.

    Returns:
        A list of views of x's shape, shorter along the axis.

    Raises:
        ValueError: The number of parts is not positive.
        AxisError: x lacks the axis.

    Source: `torch.tensor_split`; `numpy.array_split`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`tensor_split`")
    if np.ndim(sections) == 0:
        sections = _parts("tensor_split", sections)
        size, more = divmod(x.shape[axis], sections)
        sections = [k * size + min(k, more) for k in range(1, sections)]
    return split(x, sections, axis)


def chunk(x: Array, chunks: int, axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into at most `chunks` parts of one length, the last of which may be shorter.

    Args:
        x: Values of any shape with at least one axis.
        chunks: The largest number of parts.
        axis: The axis, by default the first.

    Returns:
        A list of views of x's shape, shorter along the axis.

    Raises:
        ValueError: The number of parts is not positive.
        AxisError: x lacks the axis.

    Source: `torch.chunk`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`chunk`")
    chunks = _parts("chunk", chunks)
    size = max(-(-x.shape[axis] // chunks), 1)
    return split(x, list(range(size, x.shape[axis], size)), axis)


def expand(x: Array, shape: Sequence[int]) -> Any:
    """Return `broadcast_to(x, shape)`, in which a length of -1 keeps that of x.

    Args:
        x: Values of any shape.
        shape: The lengths of all axes; new axes come first.

    Returns:
        The given shape; a view.

    Raises:
        ValueError: x does not broadcast to the shape.

    Source: `torch.Tensor.expand`.
    """
    if len(shape) < x.ndim:
        raise ValueError(f"`expand` cannot remove axes: shape {x.shape} has more of them than {tuple(shape)}")
    own = (1,) * (len(shape) - x.ndim) + tuple(x.shape)
    return broadcast_to(x, tuple(m if n == -1 else n for n, m in zip(shape, own, strict=True)))


def unflatten(x: Array, axis: int, sizes: Sequence[int]) -> Any:
    """Return x with one axis divided into several; one length may be -1.

    Args:
        x: Values of any shape with at least one axis.
        axis: The axis.
        sizes: The lengths of the new axes. Their product is the length of the old axis. One of them may be -1: it is
            computed from the others.

    Returns:
        The shape of x with the new axes in place of the old one.

    Raises:
        ValueError: The lengths do not fit.
        AxisError: x lacks the axis.

    Source: `torch.unflatten`.
    """
    axis = normalize_axis_index(axis, x.ndim, "`unflatten`")
    if -1 in sizes:
        known = -math.prod(sizes)
        if known < 1 or x.shape[axis] % known:
            raise ValueError(f"`unflatten` cannot divide a length of {x.shape[axis]} into {tuple(sizes)}")
        sizes = [x.shape[axis] // known if n == -1 else n for n in sizes]
    return reshape(x, (*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))


def atleast_1d(x: Array) -> Any:
    """Return x with at least one axis.

    Args:
        x: Values of any shape.

    Returns:
        Shape (1,) for a 0-d x, and otherwise the shape of x.

    Source: `numpy.atleast_1d`.
    """
    return reshape(x, (1,) if x.ndim == 0 else x.shape)


def atleast_2d(x: Array) -> Any:
    """Return x with at least two axes; a vector is a row.

    Args:
        x: Values of any shape.

    Returns:
        Shape (1, 1) for a 0-d x, (1, N) for a vector, and otherwise the shape of x.

    Source: `numpy.atleast_2d`.
    """
    return reshape(x, (1, -1)) if x.ndim < 2 else reshape(x, x.shape)


def atleast_3d(x: Array) -> Any:
    """Return x with at least three axes; a vector is (1, N, 1), and a matrix gets an axis at its end.

    Args:
        x: Values of any shape.

    Returns:
        Shape (1, 1, 1) for a 0-d x, (1, N, 1) for a vector, (M, N, 1) for a matrix, and otherwise the shape of x.

    Source: `numpy.atleast_3d`.
    """
    if x.ndim < 2:
        return reshape(x, (1, -1, 1))
    return expand_dims(x, 2) if x.ndim == 2 else reshape(x, x.shape)
