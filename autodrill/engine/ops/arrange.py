"""Further rearrangements: padding, repetition and splitting, all by selecting elements or adding zeros."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.aliasing import mark_siblings
from autodrill.engine.core.declaration import integers, place
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import positive, where
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.shape import (
    broadcast_to,
    concatenate,
    flip,
    reshape,
    swapaxes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autodrill.engine.core.backend import Array, Namespace

# fmt: off
__all__ = [
    "flatten", "fliplr", "flipud", "masked_fill", "masked_select", "pad", "pad_constant",
    "ravel", "repeat", "roll", "rot90", "split", "take", "tile", "unstack",
]
# fmt: on

Widths = tuple[tuple[int, int], ...]


def take(x: Array, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of x at integer `indices` along `axis`.

    Args:
        x: Values of any shape.
        indices: Integers of any shape; negative ones count from the end.
        axis: The axis; by default x is flattened.

    Returns:
        The shape of x with that of `indices` in place of the length of the axis.

    Raises:
        IndexError: An index is outside the axis, or not an integer.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.take`.
    """
    if axis is None:
        return getitem(reshape(x, -1), indices)
    return getitem(x, (*(slice(None),) * place(axis, x.ndim), indices))


# Padding


@primitive(on_complex="adjoint")
def pad_constant(xp: Namespace, x: Array, *, widths: Widths, value: float = 0) -> Array:
    """Return x with `widths` elements of `value` before and after it along each axis.

    Args:
        x: Values of any shape.
        widths: A pair of numbers for each axis, before and after.
        value: The constant; its derivative is 0.

    Returns:
        Each length is that of x plus both widths.

    Raises:
        ValueError: A width is negative, or there is not one pair for each axis.

    Source: agrees with `numpy.pad` and `torch.nn.functional.pad` of mode `"constant"`.
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
        mode: The padding: `"constant"`; `"reflect"` and `"symmetric"`, x mirrored without and with its edge; `"edge"`,
            the edge repeated; `"wrap"`, x from its other end.
        constant_values: The constant; its derivative is 0.

    Returns:
        Each length is that of x plus both widths.

    Raises:
        ValueError: A width is negative, `pad_width` does not fit the axes, or there is no such mode.

    Source: agrees with `numpy.pad`.
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
    """Return `reps` copies of x next to each other along each axis.

    Args:
        x: Values of any shape.
        reps: The number of copies along the last axis, or along each of the last axes.

    Returns:
        Each length is that of x times the number of copies; x and `reps` are extended by axes of length 1 in front.

    Raises:
        ValueError: A number of copies is negative.
        TypeError: A number of copies is not an integer.

    Source: agrees with `numpy.tile`.
    """
    counts = integers(reps)
    ndim = max(x.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    shape = (1,) * (ndim - x.ndim) + tuple(x.shape)
    spaced = reshape(x, tuple(k for n in shape for k in (1, n)))
    repeated = broadcast_to(spaced, tuple(k for c, n in zip(counts, shape, strict=True) for k in (c, n)))
    return reshape(repeated, tuple(c * n for c, n in zip(counts, shape, strict=True)))


def repeat(x: Array, repeats: int | Sequence[int], axis: int | None = None) -> Any:
    """Return x with each element along `axis` repeated.

    Args:
        x: Values of any shape.
        repeats: The number of repetitions, or one for each element along the axis.
        axis: The axis; by default x is flattened.

    Returns:
        The shape of x with the sum of the repetitions as the length of the axis.

    Raises:
        ValueError: A number is negative, or there is not one for each element.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.repeat`; PyTorch's name is `repeat_interleave`.
    """
    if axis is None:
        return repeat(reshape(x, -1), repeats, 0)
    return take(x, np.repeat(np.arange(x.shape[place(axis, x.ndim)]), repeats), axis)


def roll(x: Array, shift: int | Sequence[int], axis: int | Sequence[int] | None = None) -> Any:
    """Return x with its elements shifted along `axis`; elements shifted beyond one end reappear at the other.

    Args:
        x: Values of any shape.
        shift: The number of places, positive towards higher indices, or a number for each axis.
        axis: The axis, or several; by default x is flattened, shifted, and given back its shape.

    Returns:
        The shape of x.

    Raises:
        ValueError: There is not one shift for each axis.
        TypeError: A shift is not an integer.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `torch.roll`; `numpy.roll` also takes one shift for several axes.
    """
    if axis is None:
        return reshape(roll(reshape(x, -1), shift, 0), x.shape)
    steps, axes = integers(shift), integers(axis)
    if len(steps) != len(axes):
        raise ValueError(f"`roll` needs a shift for each axis, not {len(steps)} for {len(axes)}")
    for by, along in zip(steps, (place(k, x.ndim) for k in axes), strict=True):
        start = (slice(None),) * along
        cut = -by % x.shape[along] if x.shape[along] else 0
        x = concatenate([x[(*start, slice(cut, None))], x[(*start, slice(cut))]], axis=along)
    return x


def rot90(x: Array, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Return x rotated by k quarter turns in the plane of two axes, from the first towards the second.

    Args:
        x: Values with at least two axes.
        k: The number of quarter turns; negative ones turn back.
        axes: The two axes.

    Returns:
        The shape of x, for odd k with the two lengths exchanged.

    Raises:
        ValueError: The two axes are equal.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `numpy.rot90`.
    """
    first, second = (place(axis, x.ndim) for axis in axes)
    if first == second:
        raise ValueError(f"`rot90` needs two different axes, not {tuple(axes)}")
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
    """Return x reversed along its second axis.

    Args:
        x: Values with at least two axes.

    Returns:
        The shape of x.

    Raises:
        numpy.exceptions.AxisError: x has fewer than two axes.

    Source: agrees with `numpy.fliplr`.
    """
    return flip(x, 1)


def flipud(x: Array) -> Any:
    """Return x reversed along its first axis.

    Args:
        x: Values with at least one axis.

    Returns:
        The shape of x.

    Raises:
        numpy.exceptions.AxisError: x has no axis.

    Source: agrees with `numpy.flipud`.
    """
    return flip(x, 0)


def ravel(x: Array) -> Any:
    """Return all elements in one axis, in row-major order.

    Args:
        x: Values of any shape.

    Returns:
        Shape (x.size,).

    Source: agrees with `numpy.ravel`.
    """
    return reshape(x, -1)


def flatten(x: Array, start_axis: int = 0, end_axis: int = -1) -> Any:
    """Return x with the axes from `start_axis` to `end_axis` joined into one.

    Args:
        x: Values of any shape.
        start_axis: The first of the joined axes.
        end_axis: The last of the joined axes.

    Returns:
        The shape of x with the product of the joined lengths in their place; (1,) for x without axes.

    Raises:
        ValueError: The first axis comes after the last.
        numpy.exceptions.AxisError: x lacks one of the axes.

    Source: agrees with `torch.flatten`.
    """
    if x.ndim == 0:
        return reshape(x, 1)
    start, end = place(start_axis, x.ndim), place(end_axis, x.ndim)
    if start > end:
        raise ValueError(f"`flatten` needs a first axis before the last, not {start_axis} and {end_axis}")
    return reshape(x, (*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :]))


# Splitting


def split(x: Array, sections: int | Sequence[int], axis: int = 0) -> list[Any]:
    """Return x cut along `axis` into equal parts, or at the given indices.

    As in PyTorch, the parts are views that cannot be written to while recording.

    Args:
        x: Values with at least one axis.
        sections: The number of equal parts, or the indices at which a new part begins.
        axis: The axis that is cut.

    Returns:
        A list of the parts, which have the shape of x except along the axis.

    Raises:
        ValueError: The axis cannot be cut into so many equal parts.
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.split`; PyTorch's `split` takes the length of the parts instead.
    """
    axis = place(axis, x.ndim)
    length = x.shape[axis]
    if isinstance(sections, (int, np.integer)):
        if sections < 1 or length % sections:
            raise ValueError(f"an axis of length {length} cannot be split into {sections} equal parts")
        cuts = list(range(0, length + 1, length // sections)) if length else [0] * (sections + 1)
    else:
        cuts = [0, *integers(sections), length]
    before = (slice(None),) * axis
    return _siblings(x[(*before, slice(a, b))] for a, b in pairwise(cuts))


def unstack(x: Array, axis: int = 0) -> list[Any]:
    """Return the parts of x along `axis`, without that axis.

    Args:
        x: Values with at least one axis.
        axis: The axis that is taken apart.

    Returns:
        A list with a part for each index, of the shape of x without the axis.

    Raises:
        numpy.exceptions.AxisError: x lacks the axis.

    Source: agrees with `numpy.unstack`; PyTorch's name is `unbind`.
    """
    axis = place(axis, x.ndim)
    return _siblings(x[(*(slice(None),) * axis, k)] for k in range(x.shape[axis]))


def _siblings(parts: Iterable[Any]) -> list[Any]:
    made = list(parts)
    mark_siblings(made)
    return made


# Selection and images


def masked_fill(x: Array, mask: Array, value: Any) -> Any:
    """Return x with `value` where the mask is true; the gradient there goes to `value`.

    Args:
        x: Values; all three arguments broadcast.
        mask: Booleans.
        value: A number, an array or a Tensor.

    Returns:
        The common shape.

    Raises:
        ValueError: The shapes do not broadcast.

    Source: agrees with `torch.masked_fill`, whose value has no axes.
    """
    return where(mask, value, x)


def masked_select(x: Array, mask: Array) -> Any:
    """Return the elements of x for which the mask is true, as a vector.

    Args:
        x: Values, which broadcast against the mask.
        mask: Booleans.

    Returns:
        Shape (K,), in row-major order, for K true elements.

    Raises:
        ValueError: The shapes do not broadcast.

    Source: agrees with `torch.masked_select`.
    """
    mask = raw(mask)
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return getitem(broadcast_to(x, shape), broadcast_to(mask, shape))
