"""Place rules: where an answer is wrong, if no formula explains it, and two mistakes with several cotangents or rows.

They state only what every failing case shows, so they are tried last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module compares arrays

from autodrill.drills.answer_records import Rule
from autodrill.errors import InternalError
from autodrill.grading.diagnosis.precision_rules import CRUDEST, errors
from autodrill.grading.diagnosis.similarity import class_of, close, has_numbers, is_comparable
from autodrill.grading.diagnosis.value_region import value_region
from autodrill.grading.oracle.expected import added_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]

__all__ = ["place_rule"]

_CASES = 2
"""Number of failing cases that must show a place."""

_LONG = 3
"""Length of an axis from which a single wrong slice is no coincidence."""

_MOST = 2 / 3
"""Share of the failing cases that must be nearly right before the others are called exceptions."""


def place_rule(drill: Drill, failing: list[Observation], passing: list[Observation]) -> Rule | None:
    """Return the rule of an answer by the place where it is wrong, or None.

    Args:
        drill: The exercise.
        failing: Failing observations, the one shown first.
        passing: Passing observations.
    """
    some = [o for o in failing if has_numbers(o) and o.case.scale == 1 and not o.case.alias]
    if not some or some[0] is not failing[0] or not any(some[0].wrong):
        return None
    if not all(map(is_comparable, some)) or any(o.case.draws for o in some):
        return None
    rule = _running_sum(some)
    if drill.solution.forward is not None and not drill.solution.drive and drill.kind.takes_cotangents:
        rule = rule or _cotangents(drill, some)
    return rule or _mostly_near(some) or _edge(some) or _wrong_where(some, passing)


def _wrong_where(failing: list[Observation], passing: list[Observation]) -> Rule | None:
    region = value_region(failing, passing)
    if region is None:
        return None
    return Rule("wrong-where", f"{region.part} is wrong only where {region.values}", region.hint)


def _wrong_parts(o: Observation) -> Iterator[tuple[int, Array, Array, Array]]:
    """Yield the index, the result, the right result and where they differ, for each wrong result."""
    for i, (got, part, off) in enumerate(zip(o.got or (), o.expected.parts, o.wrong, strict=True)):
        if off and got is not None:
            yield i, got, part.value, np.abs(got - part.value) > part.tolerance


# -- formulas ----------------------------------------------------------------------------------------------------------


def _running_sum(failing: list[Observation]) -> Rule | None:
    telling = 0
    for o in failing:
        for i, got, right, _ in _wrong_parts(o):
            room = np.asarray(np.max(o.expected.parts[i].tolerance, initial=0.0) * 8)
            if not any(close(got, np.cumsum(right, axis=axis), room) for axis in range(right.ndim)):
                return None
            telling += max(right.shape, default=0) >= _LONG
    if telling < _CASES:
        return None
    return Rule(
        "running-sum",
        "each row or column is the right one plus all earlier ones",
        "which array does your code reuse from one step to the next without clearing it?",
    )


def _cotangents(drill: Drill, failing: list[Observation]) -> Rule | None:
    """Return the rule if the results are those of other cotangents: their sum for each, exchanged, or one of them 0."""
    count = len(failing[0].expected.cotangents)
    if count != 2 or any(o.expected.start for o in failing):
        return None
    tried = {
        "cross-terms": ("every output gets the sum of both upstream gradients", lambda g, h: (g + h, g + h)),
        "exchanged-upstream": ("the two upstream gradients are exchanged", lambda g, h: (h, g)),
        "first-upstream-ignored": ("the first upstream gradient is never used", lambda g, h: (0 * g, h)),
        "second-upstream-ignored": ("the second upstream gradient is never used", lambda g, h: (g, 0 * h)),
    }
    for key, (words, change) in tried.items():
        explained = [_explained(drill, o, change) for o in failing]
        common = set.intersection(*(each for each in explained if each is not None)) if None not in explained else set()
        first = [i for i in sorted(common) if failing[0].wrong[i]]
        if not first or len(failing) < _CASES:
            continue
        names = [failing[0].expected.parts[i].name for i in first]
        every = all(off <= (i in common) for o in failing for i, off in enumerate(o.wrong))
        where = "" if every else f"in {' and '.join(names)}, "
        return Rule(
            key,
            where + words,
            "which output does each upstream gradient belong to, and which inputs does that output depend on?",
        )
    return None


def _explained(drill: Drill, o: Observation, change: Any) -> set[int] | None:
    """Return the results that are right for changed cotangents; None if they cannot be computed."""
    one, two = o.expected.cotangents
    if one.shape != two.shape:
        return None
    try:
        others = added_by(drill, o.case, o.expected, change(one, two))
    except InternalError:
        return None
    assert o.got is not None
    found = set()
    for i, (got, other, part) in enumerate(zip(o.got, others, o.expected.parts, strict=True)):
        room = np.asarray(np.max(part.tolerance, initial=0.0) * 8)
        if got is not None and got.shape == other.shape and close(got, np.asarray(other), room):
            found.add(i)
    return found


def _mostly_near(failing: list[Observation]) -> Rule | None:
    """Return the rule if most failing cases are right to some digits, and the others are not."""
    double = [o for o in failing if o.case.dtype == "float64" and o.expected.parts]
    worst = {id(o): max((e.relative for e in errors(o)), default=0.0) for o in double}
    near = [o for o in double if 0 < worst[id(o)] <= CRUDEST]
    far = list(dict.fromkeys(class_of(o) for o in double if worst[id(o)] > CRUDEST))
    if len(near) < max(_LONG, len(double) * _MOST) or not 0 < len(far) <= _CASES:
        return None
    digits = max(1, math.floor(-math.log10(max(worst[id(o)] for o in near))))
    quoted = " and ".join(f"'{name}'" for name in far)
    return Rule(
        "approximate",
        f"right to {digits} digits in most cases, but not for {quoted}; "
        "the likely cause is an added epsilon, or a step in too few bits",
        "which number is added or rounded away? In which case is that number large compared with the others?",
    )


# -- places ------------------------------------------------------------------------------------------------------------


def _edge(failing: list[Observation]) -> Rule | None:
    """Return the rule if only the first, or only the last, slice along an axis is wrong in every case."""
    wrong = [(o.expected.parts[i].name, off) for o in failing for i, _, _, off in _wrong_parts(o)]
    if any(off.ndim == 0 for _, off in wrong):
        return None
    line = any(off.ndim == 1 for _, off in wrong)
    for axis, slice_of in ((0, "element" if wrong[0][1].ndim == 1 else "row"), *(() if line else ((-1, "column"),))):
        turned = [np.moveaxis(off, axis, 0) for _, off in wrong]
        if sum(len(off) >= _LONG for off in turned) < _CASES:
            continue
        for which, edge, rest, step in (
            ("first", 0, slice(1, None), "before the first"),
            ("last", -1, slice(None, -1), "after the last"),
        ):
            if all(off[edge].any() and not off[rest].any() for off in turned):
                return Rule(
                    "edge-only",
                    f"only the {which} {slice_of} of {wrong[0][0]} is wrong",
                    f"which value does your code use for the step {step} one?",
                )
    return None
