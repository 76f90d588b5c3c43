"""The running combination along an axis, from which running products, extremes and the gradient of `prod` are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.lib.array_utils import normalize_axis_index

from autodrill.engine.ops.shape import concatenate, reshape

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.backend import Array

__all__ = ["part_along", "scan_along"]


def part_along(axis: int, part: slice) -> tuple[slice, ...]:
    """Return the index that takes a slice along an axis."""
    return (*(slice(None),) * axis, part)


def scan_along(name: str, combine: Callable[[Array, Array], Array], x: Array, axis: int | None) -> Any:
    """Return the running combination by an associative operation, in log₂ n steps (Hillis and Steele, 1986).

    The scan uses the operation alone and never its inverse, so a product needs no special case for zeros.
    """
    if axis is None or x.ndim == 0:
        x, axis = reshape(x, -1), 0
    axis = normalize_axis_index(axis, x.ndim, f"`{name}`")
    step = 1
    while step < x.shape[axis]:
        head = x[part_along(axis, slice(step))]
        rest = combine(x[part_along(axis, slice(step, None))], x[part_along(axis, slice(-step))])
        x = concatenate([head, rest], axis=axis)
        step *= 2
    return x if step > 1 else reshape(x, x.shape)
