"""Permutation rules: answers with two arguments exchanged, or with right numbers in wrong places."""

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
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.diagnosis.transformations import Alternative

    Array = NDArray[Any]

__all__ = ["exchanged_arguments", "misplaced"]

_SEVERAL = 2
"""Smallest number of failing cases that an exchange must explain."""

_DISTINCT = 4
"""Smallest number of distinct values. With fewer, another rule can give them in another order: a, -a and -a, a."""


def exchanged_arguments(drill: Drill, failing: list[Observation]) -> Iterator[Pattern]:
    """Yield a pattern for every two arguments of the candidate's code that can be exchanged.

    Args:
        drill: The exercise.
        failing: The failing observations. The first decides which arguments can be exchanged.
    """
    o = failing[0]
    if len(failing) < _SEVERAL or o.case.alias or o.case.draws:
        return
    handed = {parameter.name for parameter in drill.exercise.parameters}
    values = {n: v for n, v in (o.case.inputs | o.case.static).items() if n in handed and _signature(v)}
    floats = [n for n, v in o.case.inputs.items() if np.asarray(v).dtype.kind == "f"]
    for first, second in itertools.combinations(values, 2):
        if floats != [first, second] and _signature(values[first]) == _signature(
            values[second]
        ):  # `swapped_operands` covers two operands
            yield Pattern(_exchange_rule(first, second), _with_exchanged(first, second), partial=False)
    for (i, first), (j, second) in itertools.combinations(enumerate(drill.solution.cotangents), 2):
        if len(o.expected.cotangents) > j and o.expected.cotangents[i].shape == o.expected.cotangents[j].shape:
            yield Pattern(_exchange_rule(first, second), _with_cotangents_exchanged(i, j), partial=False)


def _exchange_rule(first: str, second: str) -> Rule:
    return Rule(
        "exchanged-arguments",
        f"the answer is what you get if `{first}` and `{second}` are exchanged",
        "read the signature again: which of the two arguments does each line need?",
    )


def _signature(value: Any) -> tuple[str, tuple[int, ...]] | None:
    """Return what two exchangeable arguments have in common, None for an argument that cannot be exchanged."""
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


def misplaced(failing: list[Observation]) -> Rule | None:
    """Return the rule if every wrong result has the right numbers in another order, or None.

    Args:
        failing: Failing observations with results to compare.
    """
    most = 0
    for o in failing:
        assert o.got is not None
        for got, part, wrong in zip(o.got, o.expected.parts, o.wrong, strict=True):
            if not wrong:
                continue
            if got is None or got.shape != part.value.shape or not np.isfinite(got).all():
                return None
            right, mine = np.sort(part.value, axis=None), np.sort(got, axis=None)
            room = 4 * float(np.max(part.tolerance, initial=0.0)) + hair(o, right)
            if np.any(np.abs(mine - right) > room) or not np.any(np.abs(got - part.value) > room):
                return None  # a nearly right number has not been moved
            most = max(most, 1 + int(np.sum(np.diff(right) > 4 * room)))
    if most < _DISTINCT:
        return None
    return Rule(
        "misplaced",
        "the numbers are right, but they are in the wrong places",
        "follow one element through the forward: to which place must its gradient return?",
    )
