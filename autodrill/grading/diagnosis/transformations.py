"""Transformations: each computes the results of code that follows one wrong rule."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.grading.diagnosis.similarity import close
from autodrill.grading.oracle.expected import expected_results

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]
    Alternative = Callable[["Drill", Observation], "list[Array | None]"]
    # It may raise: the exercise's forward may not accept the changed inputs.

__all__ = [
    "again",
    "all_into",
    "as_if_one",
    "contributions",
    "counted_once",
    "each",
    "exchanged",
    "hair",
    "has_upstream",
    "lost_axes",
    "node",
    "not_summed",
    "of_positive_upstream",
    "passes_upstream",
    "swapped_operands",
    "upstream_one",
    "without_slice",
]


def contributions(o: Observation) -> list[Array]:
    """Return the expected contributions: the expected results less the starting `.grad`."""
    start = o.expected.start or (0.0,) * len(o.expected.parts)
    return [p.value - s for p, s in zip(o.expected.parts, start, strict=True)]


def hair(o: Observation, value: Array) -> float:
    """Return the difference allowed between two ways to compute a value if its tolerance is 0."""
    return 1e-12 * (1.0 if o.case.scale == 1 else float(np.max(np.abs(value), initial=0.0)))


def again(drill: Drill, o: Observation, **changes: Any) -> list[Array | None]:
    """Return the expected results of the same case with another cotangent or other inputs."""
    changed = expected_results(drill, replace(o.case, smooth=False, **changes))
    return [p.value for p in changed.parts]


def each(change: Callable[[Array], Array | None]) -> Alternative:
    """Return the alternative that changes the contribution and keeps the starting `.grad`."""

    def alternative(_: Drill, o: Observation) -> list[Array | None]:
        changed = [change(c) for c in contributions(o)]
        if not o.expected.start:
            return changed
        return [None if c is None else np.asarray(s + c) for s, c in zip(o.expected.start, changed, strict=True)]

    return alternative


def node(change: Callable[[float, Array, float], Array]) -> Alternative:
    """Return the alternative that combines the starting `.grad`, the right contribution and `out.grad` wrongly."""

    def alternative(_: Drill, o: Observation) -> list[Array | None]:
        if not o.expected.start:
            return []
        g = float(o.expected.cotangents[0])
        return [np.asarray(change(s, c, g)) for s, c in zip(o.expected.start, contributions(o), strict=True)]

    return alternative


def has_upstream(drill: Drill, o: Observation) -> bool:
    """Whether the candidate's code receives exactly one cotangent."""
    return len(o.expected.cotangents) == 1 and not drill.solution.drive and drill.kind.takes_cotangents


def upstream_one(drill: Drill, o: Observation) -> list[Array | None]:
    """Return the local derivative: the results for an upstream gradient of 1."""
    return again(drill, o, cotangent=1.0) if has_upstream(drill, o) else []


def passes_upstream(drill: Drill, o: Observation) -> list[Array | None]:
    """Return the upstream gradient itself for every input."""
    if not has_upstream(drill, o):
        return []
    g = o.expected.cotangents[0].astype(np.float64)
    return [np.asarray(s + g) for s in o.expected.start] or [g for _ in o.expected.parts]


def of_positive_upstream(drill: Drill, o: Observation) -> list[Array | None]:
    """Return the results if a negative upstream gradient counts as 0."""
    if not has_upstream(drill, o) or o.expected.cotangents[0].ndim:
        return []
    return again(drill, o, cotangent=max(float(o.expected.cotangents[0]), 0.0))


def without_slice(axis: int, index: int, least: int = 2) -> Alternative:
    """Return the alternative that never uses one row or column of a cotangent with at least `least` axes."""

    def alternative(drill: Drill, o: Observation) -> list[Array | None]:
        if not has_upstream(drill, o) or o.expected.cotangents[0].ndim < least:
            return []
        g = o.expected.cotangents[0].copy()
        if g.shape[axis]:
            np.moveaxis(g, axis, 0)[index] = 0
        return again(drill, o, cotangent=g)

    return alternative


def counted_once(drill: Drill, o: Observation) -> list[Array | None]:
    """Return the results if a node used as two operands receives only one contribution."""
    if not o.case.alias:
        return []
    apart = expected_results(drill, replace(o.case, alias=False, smooth=False))
    return [np.asarray(o.expected.start[0] + float(apart.parts[0].value) - apart.start[0])]


def swapped_operands(drill: Drill, o: Observation) -> list[Array | None]:
    """Return the results with two operands exchanged."""
    names = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
    if len(names) != 2 or o.case.alias:
        return []
    a, b = (np.asarray(o.case.inputs[n]) for n in names)
    if a.shape == b.shape:
        return again(drill, o, inputs={**o.case.inputs, names[0]: b, names[1]: a})
    # Exchange factors of different shapes: broadcast both to the output's shape, which must stay.
    shape = np.broadcast_shapes(a.shape, b.shape)
    if o.expected.outputs[0].shape != shape:
        return []
    inputs = {names[0]: a, names[1]: np.broadcast_to(a, shape)}
    other = {names[1]: b, names[0]: np.broadcast_to(b, shape)}
    return [
        again(drill, o, inputs={**o.case.inputs, **inputs})[0],
        again(drill, o, inputs={**o.case.inputs, **other})[1],
    ]


def exchanged(first: int, second: int) -> Alternative:
    """Return the alternative with two results exchanged; it applies only if both are wrong."""

    def alternative(_: Drill, o: Observation) -> list[Array | None]:
        values: list[Array | None] = [p.value for p in o.expected.parts]
        if len(values) <= second or (any(o.wrong) and not (o.wrong[first] and o.wrong[second])):
            return []
        values[first], values[second] = values[second], values[first]
        return values

    return alternative


def all_into(index: int) -> Alternative:
    """Return the alternative that adds both contributions to one node and nothing to the other."""

    def alternative(_: Drill, o: Observation) -> list[Array | None]:
        if o.case.alias or len(o.expected.start) != 2:
            return []
        if any(o.wrong) and not all(o.wrong):
            return []  # the other node received its contribution
        sums = [0.0, 0.0]
        sums[index] = float(sum(contributions(o)))
        return [np.asarray(s + c) for s, c in zip(o.expected.start, sums, strict=True)]

    return alternative


def as_if_one(index: int) -> Alternative:
    """Return the alternative for an input of 1 everywhere, as if its factor were forgotten."""

    def alternative(drill: Drill, o: Observation) -> list[Array | None]:
        names = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
        if not has_upstream(drill, o) or len(names) <= index or o.case.alias:
            return []
        ones = np.ones_like(o.case.inputs[names[index]])
        return again(drill, o, inputs={**o.case.inputs, names[index]: ones})

    return alternative


def not_summed(_: Drill, o: Observation) -> list[Array | None]:
    """Return the results that match once they are summed over the broadcast axes."""
    if o.got is None or not o.expected.outputs:
        return []
    found: list[Array | None] = []
    for got, part in zip(o.got, o.expected.parts, strict=False):
        same = got is not None and got.shape == o.expected.outputs[0].shape and got.shape != part.value.shape
        summed = _sum_to(got, part.value.shape) if same and got is not None else None
        right = summed is not None and close(summed, part.value, part.tolerance * 8)
        found.append(got if right else None)
    return found


def _sum_to(array: Array, shape: tuple[int, ...]) -> Array | None:
    extra = array.ndim - len(shape)
    if extra < 0:
        return None
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1 and array.shape[i + extra] != 1)
    summed = array.sum(axis=axes, keepdims=True)
    return summed.reshape(shape) if summed.size == math.prod(shape) else None


def lost_axes(_: Drill, o: Observation) -> list[Array | None]:
    """Return the results that are right except for axes of size 1 removed or added."""
    if o.got is None:
        return []
    found: list[Array | None] = []
    for got, part in zip(o.got, o.expected.parts, strict=False):
        value = part.value
        same = got is not None and got.shape != value.shape and got.size == value.size
        right = same and got is not None and close(got.reshape(value.shape), value, part.tolerance)
        found.append(got if right else None)
    return found
