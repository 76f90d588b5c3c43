"""Batching: the application of a primitive to arrays under `vmap`, by its batching rule or one example at a time.

A primitive declares one of

    inv.vmap("leading")             its forward treats leading axes as a batch: it is elementwise, or of matrices
    sum.vmap("axis")                likewise, if its static `axis` or `axes` is counted from the end
    reshape.vmap(lambda x, shape, batch: reshape(x, (*batch, *shape)))

A rule's parameters are looked up by name: an input, with leading axes for the examples, of length 1 if the input does
not vary (for `*arrays` a list of such); a static parameter; `<input>_shape`, the shape of one example; `batch`, the
lengths of the leading axes; `levels`, the uses of `vmap` they belong to. The rule returns the memory of all results.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.declaration import behind
from autodrill.engine.transforms.batched_array import Batched, aligned, in_front, levels_of
from autodrill.engine.transforms.vmap_boundary import summed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.node import Plan
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.transforms.batched_array import Level

__all__ = ["apply", "crossing"]


def apply(primitive: Primitive, values: Sequence[Any], static: dict[str, Any]) -> Array:
    """Return the result of a primitive for raw values of which some are `Batched`."""
    rule = primitive.batching
    if rule == "levels":
        return primitive.forward(None, *values, **static)
    levels = levels_of(*values)
    backend = backend_of(*map(memory, values))
    values = [v if type(v) is Batched else backend.constant(v) for v in values]
    if rule == "leading":
        out = primitive.forward(backend.xp, *aligned(values, levels), **static)
    elif rule == "axis":
        out = primitive.forward(backend.xp, *aligned(values, levels), **_from_the_end(primitive, values[0], static))
    elif rule is None or (_holds_batched(static) and "levels" not in primitive.vmap_names):
        return _one_by_one(primitive, values, static)
    else:
        arrays = [in_front(v if hasattr(v, "shape") else backend.xp.asarray(v), levels) for v in values]
        out = rule(*(_named(primitive, name, values, static, arrays, levels) for name in primitive.vmap_names))
    batch = tuple(level.size for level in levels)
    if out.shape[: len(batch)] != batch:
        out = backend.xp.broadcast_to(out, batch + out.shape[len(batch) :])
    return Batched(out, levels)


def _from_the_end(primitive: Primitive, x: Any, static: dict[str, Any]) -> dict[str, Any]:
    name = "axis" if "axis" in primitive.static else "axes"
    return {**static, name: behind(static.get(name, primitive.static[name]), len(x.shape), reduces=True)}


def _named(
    primitive: Primitive,
    name: str,
    values: Sequence[Any],
    static: dict[str, Any],
    arrays: list[Any],
    levels: tuple[Level, ...],
) -> Any:
    if name == "batch":
        return tuple(level.size for level in levels)
    if name == "levels":
        return levels
    if name in primitive.inputs:
        return arrays if primitive.variadic else arrays[primitive.inputs.index(name)]
    return primitive.lookup(name, values, static)


def _one_by_one(primitive: Primitive, values: Sequence[Any], static: dict[str, Any]) -> Batched:
    """Call the primitive once for each example, as slowly as a loop; for primitives without a batching rule."""
    levels = levels_of(*values, *_batched_in(static))
    batch = tuple(level.size for level in levels)
    backend = backend_of(*map(memory, values))
    if 0 in batch:
        raise ValueError(
            f"`{primitive.name}` has no batching rule, so `vmap` calls it for each example, but there are no examples"
        )
    results = []
    for place in np.ndindex(*batch):
        at = dict(zip(levels, place, strict=True))
        one = [_example(v, at) for v in values]
        results.append(backend.xp.asarray(primitive.forward(backend.xp, *one, **_example(static, at))))
    return Batched(backend.xp.stack(results).reshape(batch + results[0].shape), levels)


def _batched_in(value: Any) -> list[Batched]:
    if type(value) is Batched:
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [found for part in parts for found in _batched_in(part)]


def _holds_batched(static: dict[str, Any]) -> bool:
    return bool(static) and bool(_batched_in(static))


def _example(value: Any, at: dict[Level, int]) -> Any:
    """Return the value, or the static values, of one example."""
    if type(value) is Batched:
        return value.data[tuple(at[level] for level in value.levels)]
    if isinstance(value, dict):
        return {key: _example(part, at) for key, part in value.items()}
    if type(value) in (tuple, list):
        return type(value)(_example(part, at) for part in value)
    return value


def crossing(plan: Plan, values: Sequence[Any], out: Any) -> Plan:
    """Return a plan that sums over the examples the cotangent of an input that all of them share.

    See `vmap_boundary.summed`.
    """
    steps = []
    for parent, rule, pick in plan.steps:
        shared = tuple(x for x in out.levels if x not in levels_of(values[plan.inputs_tracked[parent]]))
        steps.append((parent, _summed(rule, shared), pick) if shared else (parent, rule, pick))
    return replace(plan, steps=tuple(steps))


def _summed(rule: Callable[..., Any], levels: tuple[Level, ...]) -> Callable[..., Any]:
    return lambda g, *saved: summed(rule(g, *saved), levels)
