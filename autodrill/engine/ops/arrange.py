"""Further rearrangements: padding, repetition, splitting and diagonals, all by selecting elements or adding zeros."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.aliasing import mark_siblings
from autodrill.engine.core.declaration import behind, integers
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import positive, where
from autodrill.engine.ops.index import getitem, index_scatter
from autodrill.engine.ops.shape import (
    broadcast_to,
    concatenate,
    expand_dims,
    flip,
    moveaxis,
    reshape,
    swapaxes,
    transpose,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "block_diag", "channel_shuffle", "column_stack", "diag", "diag_embed", "diagonal", "dstack", "flatten",
    "fliplr", "flipud", "hstack", "masked_fill", "masked_select", "meshgrid", "pad", "pad_constant",
    "pixel_shuffle", "pixel_unshuffle", "ravel", "repeat", "roll", "rot90", "split", "take", "tile", "trace",
    "tril", "triu", "unstack", "vstack",
]
# fmt: on

Widths = tuple[tuple[int, int], ...]


def take(x: Array, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of x at integer `indices` along `axis`, by default of the flattened x."""
    if axis is None:
        return getitem(reshape(x, -1), indices)
    return getitem(x, (*(slice(None),) * (axis % x.ndim), indices))


# Padding


@primitive(on_complex="adjoint")
def pad_constant(xp: Namespace, x: Array, *, widths: Widths, value: float = 0) -> Array:
    """Return x with `widths` elements of `value` before and after it along each axis.

    Raises:
        ValueError: A width is negative.
    """
    if any(low < 0 or high < 0 for low, high in widths):
        raise ValueError(f"cannot pad by {widths}: widths must not be negative; slice x to make it smaller")
    padded = xp.full(tuple(low + n + high for (low, high), n in zip(widths, x.shape, strict=True)), value, x.dtype)
    padded[tuple(slice(low, low + n) for (low, _), n in zip(widths, x.shape, strict=True))] = x
    return padded


def _unpadded(g: Array, widths: Widths) -> Array:
    return getitem(g, tuple(slice(low, n - high) for (low, high), n in zip(widths, g.shape, strict=True)))


pad_constant.vjp(x=_unpadded)
pad_constant.jvp(lambda dx, widths: pad_constant(dx, widths=widths))
pad_constant.vmap(
    lambda x, widths, value, batch: pad_constant(x, widths=(*((0, 0),) * len(batch), *widths), value=value)
)


def pad(
    x: Array,
    pad_width: int | Sequence[Any],
    mode: Literal["constant", "reflect", "edge", "symmetric", "wrap"] = "constant",
    constant_values: float = 0,
) -> Any:
    """Return x padded along each axis.

    Args:
        x: Values of any shape.
        pad_width: The number of elements before and after: one number, a pair, or a pair for each axis.
        mode: The padding: `"constant"`; `"reflect"` and `"symmetric"`, x mirrored without and with its edge;
            `"edge"`, the edge repeated; `"wrap"`, x from its other end.
        constant_values: The constant.
    """
    widths = tuple((int(low), int(high)) for low, high in np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)))
    if mode == "constant":
        return pad_constant(x, widths=widths, value=constant_values)
    for axis, width in enumerate(widths):
        if width != (0, 0):
            x = take(x, np.pad(np.arange(x.shape[axis]), width, mode=mode), axis)
    return x


# Repeating and shifting


def tile(x: Array, reps: int | Sequence[int]) -> Any:
    """Return `reps` copies of x next to each other along each axis."""
    counts = integers(reps)
    ndim = max(x.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - x.ndim) + tuple(x.shape)
    spaced = reshape(x, tuple(k for n in shape for k in (1, n)))
    repeated = broadcast_to(spaced, tuple(k for c, n in zip(counts, shape, strict=True) for k in (c, n)))
    return reshape(repeated, tuple(c * n for c, n in zip(counts, shape, strict=True)))


def repeat(x: Array, repeats: int | Sequence[int], axis: int | None = None) -> Any:
    """Return x with each element along `axis` repeated, by default of the flattened x."""
    if axis is None:
        return repeat(reshape(x, -1), repeats, 0)
    return take(x, np.repeat(np.arange(x.shape[axis]), repeats), axis)


def roll(x: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Any:
    """Return x with its elements shifted along `axis`; elements shifted beyond one end reappear at the other."""
    if axis is None:
        return reshape(roll(reshape(x, -1), shift, 0), x.shape)
    for by, along in zip(integers(shift), integers(axis), strict=True):
        start = (slice(None),) * (along % x.ndim)
        cut = -by % x.shape[along] if x.shape[along] else 0
        x = concatenate([x[(*start, slice(cut, None))], x[(*start, slice(cut))]], axis=along)
    return x


def rot90(x: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Return x rotated by k quarter turns in the plane of two axes, from the first towards the second."""
    first, second = axes
    match k % 4:
        case 0:
            return positive(x)
        case 1:
            return swapaxes(flip(x, second), first, second)
        case 2:
            return flip(x, (first, second))
        case _:
            return flip(swapaxes(x, first, second), second)


def fliplr(x: Array) -> Any:
    """Return x reversed along its second axis."""
    return flip(x, 1)


def flipud(x: Array) -> Any:
    """Return x reversed along its first axis."""
    return flip(x, 0)


def ravel(x: Array) -> Any:
    """Return all elements in one axis."""
    return reshape(x, -1)


def flatten(x: Array, start_axis: int = 0, end_axis: int = -1) -> Any:
    """Return x with the axes from `start_axis` to `end_axis` joined into one."""
    if x.ndim == 0:
        return reshape(x, 1)
    start, end = start_axis % x.ndim, end_axis % x.ndim
    return reshape(x, (*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :]))


# Joining and splitting


def vstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the first axis; a vector is a row."""
    return concatenate([reshape(a, (1, -1)) if a.ndim < 2 else a for a in arrays], axis=0)


def hstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the second axis; vectors are joined along their only axis."""
    whole = [reshape(a, 1) if a.ndim == 0 else a for a in arrays]
    return concatenate(whole, axis=0 if whole[0].ndim == 1 else 1)


def dstack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along a third axis."""
    whole = [reshape(a, (1, -1, 1)) if a.ndim < 2 else expand_dims(a, 2) if a.ndim == 2 else a for a in arrays]
    return concatenate(whole, axis=2)


def column_stack(arrays: Sequence[Array]) -> Any:
    """Return the arrays joined along the second axis; a vector is a column."""
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], axis=1)


def block_diag(*arrays: Array) -> Any:
    """Return a matrix with the given matrices along its diagonal and zeros elsewhere; a vector is a row."""
    blocks = [reshape(a, (1, -1)) if a.ndim < 2 else a for a in arrays]
    width = sum(b.shape[1] for b in blocks)
    starts = np.cumsum([0, *(b.shape[1] for b in blocks)])
    return concatenate(
        [
            pad_constant(b, widths=((0, 0), (int(start), int(width - start - b.shape[1]))))
            for b, start in zip(blocks, starts, strict=False)
        ]
    )


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> list[Any]:
    """Return the coordinates of a grid: each vector repeated along the axes of all others.

    Args:
        arrays: Vectors; a number counts as a vector of one element.
        indexing: `"ij"` for the axes in the order of the vectors, `"xy"` with the first two exchanged.
    """
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[:2] = [1, 0]
    shape = tuple(arrays[k].size for k in order)
    return [
        broadcast_to(reshape(x, tuple(-1 if order[axis] == k else 1 for axis in range(len(arrays)))), shape)
        for k, x in enumerate(arrays)
    ]


def split(x: Array, sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into equal parts, or at the given indices.

    As in PyTorch, the parts are views that cannot be written to while recording.

    Raises:
        ValueError: The axis cannot be cut into so many equal parts.
    """
    length = x.shape[axis]
    if isinstance(sections, (int, np.integer)):
        if length % sections:
            raise ValueError(f"an axis of length {length} cannot be split into {sections} equal parts")
        cuts = list(range(0, length + 1, length // sections)) if length else [0] * (sections + 1)
    else:
        cuts = [0, *integers(sections), length]
    before = (slice(None),) * (axis % x.ndim)
    return _siblings(x[(*before, slice(a, b))] for a, b in pairwise(cuts))


def unstack(x: Array, axis: int = 0) -> list[Any]:
    """Return the parts of x along `axis`, without that axis."""
    return _siblings(x[(*(slice(None),) * (axis % x.ndim), k)] for k in range(x.shape[axis]))


def _siblings(parts: Iterable[Any]) -> list[Any]:
    made = list(parts)
    mark_siblings(made)
    return made


# Diagonals and triangles


@primitive(view=True)
def diagonal(xp: Namespace, x: Array, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return the diagonal of two axes as the last axis; a positive `offset` is above the main diagonal."""
    found = xp.diagonal(x, offset, axis1, axis2)
    if type(found) is np.ndarray:  # NumPy makes it read-only
        found.flags.writeable = x.flags.writeable
    return found


def _undiagonal(g: Array, x_shape: tuple[int, ...], offset: int, axis1: int, axis2: int) -> Array:
    """Return zeros of x's shape with a cotangent on the diagonal."""
    axes = (axis1 % len(x_shape), axis2 % len(x_shape))
    others = tuple(n for k, n in enumerate(x_shape) if k not in axes)
    steps = np.arange(g.shape[-1])
    index = (..., steps + max(0, -offset), steps + max(0, offset))
    matrices = index_scatter(g, index=index, shape=(*others, x_shape[axis1], x_shape[axis2]))
    return moveaxis(matrices, (-2, -1), axes)


diagonal.vjp(x=_undiagonal)
diagonal.jvp("linear")
diagonal.vmap(
    lambda x, x_shape, offset, axis1, axis2: diagonal(
        x, offset, behind(axis1, len(x_shape)), behind(axis2, len(x_shape))
    )
)


def diag(x: Array, k: int = 0) -> Any:
    """Return the k-th diagonal of a matrix, or for a vector the matrix that has it as the k-th diagonal."""
    return diagonal(x, k) if x.ndim == 2 else diag_embed(x, k)


def diag_embed(x: Array, offset: int = 0) -> Any:
    """Return matrices with the last axis of x on the diagonal and zeros elsewhere."""
    n = x.shape[-1]
    size = n + abs(offset)
    steps = np.arange(n)
    index = (..., steps + max(0, -offset), steps + max(0, offset))
    return index_scatter(x, index=index, shape=(*x.shape[:-1], size, size))


def trace(x: Array, offset: int = 0) -> Any:
    """Return the sum of the diagonal of the first two axes."""
    from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name

    return sum(diagonal(x, offset), axis=-1)


@primitive
def tril(xp: Namespace, x: Array, *, k: int = 0) -> Array:
    """Return matrices with zeros above the k-th diagonal."""
    return xp.tril(x, k)


@primitive
def triu(xp: Namespace, x: Array, *, k: int = 0) -> Array:
    """Return matrices with zeros below the k-th diagonal."""
    return xp.triu(x, k)


tril.vjp(x=lambda g, k: tril(g, k=k))
tril.jvp("linear")
tril.vmap("leading")
triu.vjp(x=lambda g, k: triu(g, k=k))
triu.jvp("linear")
triu.vmap("leading")


def masked_fill(x: Array, mask: Array, value: Any) -> Any:
    """Return x with `value` where the mask is true; the gradient there goes to `value`, a number or a Tensor."""
    return where(mask, value, x)


def masked_select(x: Array, mask: Array) -> Any:
    """Return the elements of x for which the mask is true, as a vector."""
    mask = raw(mask)
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return getitem(broadcast_to(x, shape), broadcast_to(mask, shape))


def pixel_shuffle(x: Array, upscale_factor: int) -> Any:
    """Return (N, C r², H, W) as (N, C, H r, W r): r² channels become a square of pixels (Shi et al., 2016)."""
    r = upscale_factor
    n, channels, height, width = x.shape
    parts = reshape(x, (n, channels // r**2, r, r, height, width))
    return reshape(transpose(parts, (0, 1, 4, 2, 5, 3)), (n, channels // r**2, height * r, width * r))


def pixel_unshuffle(x: Array, downscale_factor: int) -> Any:
    """Return (N, C, H r, W r) as (N, C r², H, W): the inverse of `pixel_shuffle`."""
    r = downscale_factor
    n, channels, height, width = x.shape
    parts = reshape(x, (n, channels, height // r, r, width // r, r))
    return reshape(transpose(parts, (0, 1, 3, 5, 2, 4)), (n, channels * r**2, height // r, width // r))


def channel_shuffle(x: Array, groups: int) -> Any:
    """Return (N, C, ...) with the channels of the groups interleaved (Zhang et al., 2018)."""
    n, channels, *rest = x.shape
    return reshape(swapaxes(reshape(x, (n, groups, channels // groups, *rest)), 1, 2), x.shape)
