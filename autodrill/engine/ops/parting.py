"""Shapes and pieces of arrays under PyTorch's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

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
    return getitem(x, (*(slice(None),) * (axis % x.ndim), part))


def narrow(x: Array, axis: int, start: int, length: int) -> Any:
    """Return the `length` slices of x along `axis` that begin at `start`."""
    return _along(x, axis, slice(start, start + length))


def select(x: Array, axis: int, index: int) -> Any:
    """Return one slice of x along `axis`, without the axis."""
    return _along(x, axis, index)


def tensor_split(x: Array, sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into a number of parts, the first ones longer by one element, or before positions.

    NumPy's name is `array_split`. `torch.split` takes the length of the parts, unlike `split` here.
    """
    if isinstance(sections, int):
        size, more = divmod(x.shape[axis], sections)
        sections = [k * size + min(k, more) for k in range(1, sections)]
    return split(x, sections, axis)


def chunk(x: Array, chunks: int, axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into at most `chunks` parts of one length, the last of which may be shorter."""
    size = max(-(-x.shape[axis] // chunks), 1)
    return split(x, list(range(size, x.shape[axis], size)), axis)


def expand(x: Array, shape: Sequence[int]) -> Any:
    """Return `broadcast_to(x, shape)`, in which a length of -1 keeps that of x."""
    own = (1,) * (len(shape) - x.ndim) + tuple(x.shape)
    return broadcast_to(x, tuple(m if n == -1 else n for n, m in zip(shape, own, strict=True)))


def unflatten(x: Array, axis: int, sizes: Sequence[int]) -> Any:
    """Return x with one axis divided into several; one length may be -1."""
    axis %= x.ndim
    if -1 in sizes:
        known = -math.prod(sizes)
        sizes = [x.shape[axis] // known if n == -1 else n for n in sizes]
    return reshape(x, (*x.shape[:axis], *sizes, *x.shape[axis + 1 :]))


def atleast_1d(x: Array) -> Any:
    """Return x with at least one axis."""
    return reshape(x, (1,) if x.ndim == 0 else x.shape)


def atleast_2d(x: Array) -> Any:
    """Return x with at least two axes; a vector is a row."""
    return reshape(x, (1, -1)) if x.ndim < 2 else reshape(x, x.shape)


def atleast_3d(x: Array) -> Any:
    """Return x with at least three axes; a vector is (1, N, 1), and a matrix gets an axis at its end."""
    if x.ndim < 2:
        return reshape(x, (1, -1, 1))
    return expand_dims(x, 2) if x.ndim == 2 else reshape(x, x.shape)
