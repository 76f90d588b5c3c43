"""In-place writes as a function: the value of a base after a write to one of its views."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from autodrill.engine.core.aliasing import replay
from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.primitive import primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import may_repeat
from autodrill.engine.transforms.batched_array import Batched, levels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.aliasing import Step
    from autodrill.engine.core.backend import Array, Namespace

__all__ = ["copy_slices"]


@primitive
def copy_slices(xp: Namespace, x: Array, values: Array, *, steps: Sequence[Step]) -> Array:
    """Return a copy of x with `values` in the elements that the view operations `steps` select.

    An element selected twice holds the last of its values, which receives the gradient. (PyTorch's `index_put_` gives
    the gradient to the overwritten values too.) On CUDA the order of the writes is undefined.

    Args:
        x: Values of any shape.
        values: Values that broadcast to the selected elements.
        steps: Pairs of a view operation and its static parameters, applied one after the other.

    Returns:
        The shape of x.

    Raises:
        IndexError: A step does not fit.
        ValueError: The values do not broadcast to the selected elements.

    Source: the node `CopySlices` of PyTorch's in-place writes to views.
    """
    out = xp.array(x, order="C")
    # The steps are applied to positions, not to `out` itself: a reshape may return a copy, and the write would be lost.
    positions = replay(xp.arange(out.size).reshape(out.shape), steps)
    out.reshape(-1)[positions] = values
    return out


def _copied_examples(
    x: Array, x_shape: tuple[int, ...], values: Array, steps: Sequence[Step], batch: tuple[int, ...]
) -> Array:
    xp = backend_of(x).xp
    out = xp.array(xp.broadcast_to(x, batch + x_shape), order="C")
    positions = replay(xp.arange(prod(x_shape)).reshape(x_shape), steps)
    missing = positions.ndim - (values.ndim - len(batch))
    values = values.reshape(values.shape[: len(batch)] + (1,) * missing + values.shape[len(batch) :])
    out.reshape(*batch, prod(x_shape))[..., positions] = values
    return out


def _of_last_writes(g: Array, x_shape: tuple[int, ...], steps: Sequence[Step]) -> Array:
    """Return the elements of g that `steps` select, with 0 where a later value overwrote an earlier one."""
    from autodrill.engine.transforms.vmap_boundary import lift

    taken = replay(g, steps)
    if not any(may_repeat(static.get("index", ())) for _, static in steps):
        return taken
    xp, levels = backend_of(g).xp, levels_of(raw(g))
    every = xp.arange(prod(x_shape)).reshape(x_shape)
    positions = raw(replay(lift(every, levels=levels) if levels else every, steps))
    # One row for each example; -1 for a length would be ambiguous if no element is selected.
    rows = memory(positions).reshape(prod(level.size for level in levels_of(positions)), positions.size)
    order = xp.arange(rows.shape[1])
    last = xp.zeros((len(rows), prod(x_shape)), order.dtype)
    xp.put_along_axis(last, rows, order[None], 1)
    lasts = (xp.take_along_axis(last, rows, 1) == order).reshape(memory(positions).shape)
    return where(Batched(lasts, positions.levels) if type(positions) is Batched else lasts, taken, 0)


copy_slices.vjp(
    x=lambda g, steps: copy_slices(g, 0, steps=steps),
    values=_of_last_writes,
)
copy_slices.jvp("linear")
copy_slices.vmap(_copied_examples)
