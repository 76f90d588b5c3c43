"""Writing in place, as a function: what a base has become after one of its views was written to."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from autodrill.engine.backend import backend_of
from autodrill.engine.primitive import primitive
from autodrill.engine.views import replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.backend import Array, Namespace
    from autodrill.engine.views import Step

__all__ = ["copy_slices"]


@primitive
def copy_slices(xp: Namespace, x: Array, values: Array, *, steps: Sequence[Step]) -> Array:
    """Return a copy of x in which the elements that the view operations `steps` select are `values`.

    An element selected twice holds the last of its values; its gradient goes to each of them, as in PyTorch.
    """
    out = xp.array(x, order="C")
    # The steps are applied to positions, not to `out` itself: a reshape may have to copy, and would be written in vain.
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
    out.reshape(*batch, -1)[..., positions] = values
    return out


copy_slices.vjp(
    x=lambda g, steps: copy_slices(g, 0, steps=steps),
    values=replay,
)
copy_slices.jvp("linear")
copy_slices.vmap(_copied_examples)
