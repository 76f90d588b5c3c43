"""The boundary of `vmap`: linear operations that make examples of an axis, or an axis of examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import BatchError, backend_of, memory
from autodrill.engine.core.generator import AnyGenerator, Generator
from autodrill.engine.core.mode import mode
from autodrill.engine.core.primitive import Primitive
from autodrill.engine.core.tensor import raw
from autodrill.engine.ops.reduce import sum  # noqa: A004 - NumPy's name
from autodrill.engine.ops.shape import broadcast_to, expand_dims
from autodrill.engine.transforms.batched_array import Batched, in_front, levels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array, Namespace
    from autodrill.engine.transforms.batched_array import Level

__all__ = ["enter", "leave", "lift", "spread", "summed", "total", "uniform"]


def _enter(xp: Namespace, x: Array, *, level: Level, axis: int) -> Array:  # noqa: ARG001 - a primitive's signature
    """Return x with the elements along `axis` as the examples of a level."""
    levels = levels_of(x)
    place = len([other for other in levels if other.number < level.number])
    data = memory(x)
    data = backend_of(data).xp.moveaxis(data, len(levels) + axis, place)
    # Results have the layout of their inputs, and a view of one example's array must be a view of all examples' memory.
    if type(data) is not np.ndarray or not data.flags.c_contiguous:
        data = data.copy(order="C")
    if type(data) is np.ndarray:
        data = data.view()
        data.flags.writeable = False  # the memory is the caller's
    return Batched(data, (*levels[:place], level, *levels[place:]))


def _leave(xp: Namespace, x: Array, *, level: Level, axis: int) -> Array:  # noqa: ARG001 - a primitive's signature
    """Return x with the examples of a level as the elements along `axis`."""
    place = x.levels.index(level)
    levels = tuple(other for other in x.levels if other is not level)
    data = backend_of(x.data).xp.moveaxis(x.data, place, len(levels) + axis)
    return Batched(data, levels) if levels else data


def _lift(xp: Namespace, x: Array, *, levels: Sequence[Level]) -> Array:  # noqa: ARG001 - a primitive's signature
    """Return x, which varies under none of the levels, as equal examples; nothing is copied."""
    whole = tuple(sorted((*levels_of(x), *levels), key=lambda level: level.number))
    data = in_front(x, whole)
    batch = tuple(level.size for level in whole)
    return Batched(backend_of(data).xp.broadcast_to(data, batch + data.shape[len(batch) :]), whole)


def total(x: Any, level: Level) -> Any:
    """Return the sum over the examples of a level."""
    if level not in levels_of(raw(x)):
        return x * level.size
    return sum(leave(x, level=level, axis=0), axis=0)


def summed(x: Any, levels: Sequence[Level]) -> Any:
    """Return the cotangent of a value that all examples share: the sum of the examples' cotangents.

    A level that is still open is not summed over: inside `vmap` a gradient is that of one example.
    """
    for level in levels:
        if level not in mode.vmaps:
            x = total(x, level)
    return x


enter, leave, lift = (Primitive(f, on_complex="adjoint") for f in (_enter, _leave, _lift))
enter.vjp(x=lambda g, level, axis: leave(g, level=level, axis=axis))
enter.jvp(lambda dx, level, axis: enter(dx, level=level, axis=axis))
leave.vjp(x=lambda g, level, axis: enter(g, level=level, axis=axis))
leave.jvp(lambda dx, level, axis: spread(dx, level, axis))  # noqa: PLW0108 - the name `dx` asks for the tangent
lift.vjp(x=summed)
lift.jvp(lambda dx, levels: lift(dx, levels=levels))
for _border in (enter, leave, lift):
    _border.vmap("levels")


def spread(x: Any, level: Level, axis: int) -> Any:
    """Return x with the examples of a level along a new axis, repeated if all of them are the same."""
    if level in levels_of(raw(x)):
        return leave(x, level=level, axis=axis)
    shape = (*x.shape[:axis], level.size, *x.shape[axis:])
    return broadcast_to(expand_dims(x, axis), shape)


def uniform(rng: AnyGenerator, x: Any) -> Any:
    """Return random numbers from [0, 1), one for each element of x, as the `randomness` of each open `vmap` says.

    Raises:
        BatchError: A `vmap` has `randomness="error"`.
    """
    xp = backend_of(memory(raw(x))).xp
    if any(level.randomness == "error" for level in mode.vmaps):
        raise BatchError(
            "a random operation under `vmap` must know whether all examples share the numbers drawn: pass "
            '`randomness="same"` or `randomness="different"` to `vmap`'
        )
    apart = tuple(level for level in mode.vmaps if level.randomness == "different")
    shape = (*(level.size for level in apart), *x.shape)
    drawn = rng.random(shape, xp) if type(rng) is Generator else xp.asarray(rng.random(shape))
    return Batched(drawn, apart) if apart else drawn
