"""The partial inverse of max pooling: each maximum goes back to its place (Zeiler and Fergus, 2014)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.gathering import gather, scatter_add
from autodrill.engine.ops.shape import reshape
from autodrill.engine.ops.window import Lengths, lengths, over_axes

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _max_unpool(
    dims: int,
    x: Array,
    indices: Array,
    kernel_size: int | Lengths,
    stride: int | Lengths | None = None,
    padding: int | Lengths = 0,
    output_size: Lengths | None = None,
) -> Any:
    """Return zeros with the elements of x at `indices`, which `max_pool{dims}d(..., return_indices=True)` returned.

    Args:
        x: Shape (N, C, {axes}).
        indices: Places in the flattened spatial axes of the result, integers of x's shape. Where several elements have
            one place, the result is their mean, which is each of them if they are one maximum of several windows.
        kernel_size: The size of the windows.
        stride: The distance between windows, by default their size.
        padding: The number of elements by which windows reached beyond each side.
        output_size: The spatial shape of the result, by default (n - 1) stride - 2 padding + kernel size.

    Returns:
        Shape (N, C, *output_size).

    Raises:
        ValueError: x has another number of axes, or `indices` another shape.
        IndexError: An index is outside the result, or not an integer.

    Source: Zeiler and Fergus (2014); agrees with `torch.nn.functional.max_unpool{dims}d`.
    """
    if x.ndim != dims + 2:
        raise ValueError(f"pooling over {dims} axes needs an input of {dims + 2} axes, got shape {x.shape}")
    kernel, padded = lengths(kernel_size, dims), lengths(padding, dims)
    steps = kernel if stride is None else lengths(stride, dims)
    if output_size is None:
        parts = zip(x.shape[2:], steps, padded, kernel, strict=True)
        output_size = tuple((n - 1) * step - 2 * p + k for n, step, p, k in parts)
    rows = x.shape[:2]
    flat, places = reshape(x, (*rows, math.prod(x.shape[2:]))), reshape(raw(indices), (*rows, math.prod(x.shape[2:])))
    zeros = backend_of(raw(x)).xp.zeros((*rows, math.prod(output_size)), x.dtype)
    shared = gather(scatter_add(zeros, 2, places, raw(flat) * 0 + 1), 2, places)
    return reshape(scatter_add(zeros, 2, places, flat / shared), (*rows, *output_size))


max_unpool1d, max_unpool2d, max_unpool3d = (over_axes(_max_unpool, dims) for dims in (1, 2, 3))
