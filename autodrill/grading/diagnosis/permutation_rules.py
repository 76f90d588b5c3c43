"""Naming answers that take one thing for another: two arguments, or the places of their numbers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import Rule
from autodrill.grading.diagnosis.transformation_table import Pattern
from autodrill.grading.diagnosis.transformations import again, hair
from autodrill.grading.oracle.expected import added_by

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.grading.diagnosis.transformations import Alternative

    Array = NDArray[Any]

__all__ = ["exchanged_arguments", "misplaced"]

_SEVERAL = 2
"""So many failing cases at least must be what an exchange leads to."""

_DISTINCT = 4
"""With fewer different numbers, those of another rule may be the same in another order: a, -a and -a, a."""


def exchanged_arguments(drill: Drill, told: list[Observation]) -> Iterator[Pattern]:
    """Yield a pattern for every two arguments of the candidate's that can stand in each other's place.

    Args:
        drill: The exercise.
        told: The failing observations; the first says what the arguments are like.
    """
    o = told[0]
    if len(told) < _SEVERAL or o.case.alias or o.case.draws:
        return
    handed = {parameter.name for parameter in drill.exercise.parameters}
    values = {n: v for n, v in (o.case.inputs | o.case.static).items() if n in handed and _like(v)}
    floats = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
    for first, second in itertools.combinations(values, 2):
        if floats != [first, second] and _like(values[first]) == _like(values[second]):  # two operands have a rule
            yield Pattern(_taken_for(first, second), _with_exchanged(first, second), partial=False)
    for (i, first), (j, second) in itertools.combinations(enumerate(drill.solution.cotangents), 2):
        if len(o.expected.cotangents) > j and o.expected.cotangents[i].shape == o.expected.cotangents[j].shape:
            yield Pattern(_taken_for(first, second), _with_cotangents_exchanged(i, j), partial=False)


def _taken_for(first: str, second: str) -> Rule:
    return Rule(
        "exchanged-arguments",
        f"it answers as if `{first}` and `{second}` were exchanged",
        "read the signature again: which of the two does each of your lines need?",
    )


def _like(value: Any) -> tuple[str, tuple[int, ...]] | None:
    """What two arguments must have in common; None of what cannot be another argument."""
    if not isinstance(value, float | int | np.ndarray | np.floating) or isinstance(value, bool):
        return None
    array = np.asarray(value)
    return (array.dtype.kind, array.shape) if array.dtype.kind == "f" or array.ndim == 0 else None


def _with_exchanged(first: str, second: str) -> Alternative:
    def alternative(drill: Drill, o: Observation) -> list[Array | None]:
        values = o.case.inputs | o.case.static
        other = {first: second, second: first}
        return again(
            drill,
            o,
            inputs={n: values[other.get(n, n)] for n in o.case.inputs},
            static={n: values[other.get(n, n)] for n in o.case.static},
        )

    return alternative


def _with_cotangents_exchanged(first: int, second: int) -> Alternative:
    def alternative(drill: Drill, o: Observation) -> list[Array | None]:
        cotangents = list(o.expected.cotangents)
        cotangents[first], cotangents[second] = cotangents[second], cotangents[first]
        return list(added_by(drill, o.case, o.expected, cotangents))

    return alternative


def misplaced(told: list[Observation]) -> Rule | None:
    """The right numbers in another order, in every wrong result.

    Args:
        told: Failing observations with results to compare.
    """
    most = 0
    for o in told:
        assert o.got is not None
        for got, part, wrong in zip(o.got, o.expected.parts, o.wrong, strict=True):
            if not wrong:
                continue
            if got is None or got.shape != part.value.shape or not np.isfinite(got).all():
                return None
            right, mine = np.sort(part.value, axis=None), np.sort(got, axis=None)
            room = 4 * float(np.max(part.tolerance, initial=0.0)) + hair(o, right)
            if np.any(np.abs(mine - right) > room) or not np.any(np.abs(got - part.value) > room):
                return None  # what is nearly right where it is has not been moved
            most = max(most, 1 + int(np.sum(np.diff(right) > 4 * room)))
    if most < _DISTINCT:
        return None
    return Rule(
        "misplaced",
        "the right numbers, in the wrong places",
        "follow one element through the forward: to which place must its gradient come back?",
    )
