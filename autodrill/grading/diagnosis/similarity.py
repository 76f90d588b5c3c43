"""Similarity of two programs' answers, which identifies a known mistake, and the cases that are evidence for a rule."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import FaultKind
from autodrill.sandbox import requests as ends

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from autodrill.grading.cases.question import Observation

__all__ = ["Likeness", "class_of", "close", "evidence", "likeness", "spread", "suffix_of"]


_MOST = 32
"""Number of failing and of passing cases that a rule is checked against."""


class Likeness(IntEnum):
    """The similarity of another program's answer to the candidate's."""

    DIFFERENT = 0
    AKIN = 1
    """Both are wrong, possibly for the same reason."""
    PARTLY = 2
    """Every wrong result has the same value in the other program, which gets further results wrong."""
    SAME = 3


def likeness(mine: Observation, theirs: Observation, ever_wrong: set[int]) -> Likeness:
    """Compare two answers to a case: the same results must be wrong, and by the same amount.

    Args:
        mine: The answer of the candidate's code.
        theirs: The answer of the other program.
        ever_wrong: The results that the candidate's code gets wrong in some case.
    """
    if mine.fault is None:
        if theirs.fault is None:
            return Likeness.SAME
        # The mistake may spoil two results and the candidate's code one: a result never wrong there says nothing.
        apart = ever_wrong and theirs.wrong and not any(theirs.wrong[i] for i in ever_wrong if i < len(theirs.wrong))
        return Likeness.PARTLY if apart else Likeness.DIFFERENT
    if theirs.fault is None:
        return Likeness.DIFFERENT
    if any(np.size(v) == 0 for v in mine.case.inputs.values()):
        return Likeness.AKIN  # for an empty array the same mistake has many outcomes
    if mine.got is None or theirs.got is None:
        return _of_ends(mine, theirs)
    if not any(mine.wrong):
        return Likeness.SAME if mine.fault.kind is theirs.fault.kind else Likeness.DIFFERENT
    if not _same_values(mine, theirs):
        return Likeness.DIFFERENT
    further = any(wrong and i not in ever_wrong for i, wrong in enumerate(theirs.wrong))
    return Likeness.PARTLY if further else Likeness.SAME


def _of_ends(mine: Observation, theirs: Observation) -> Likeness:
    """Compare two answers of which at least one has no results."""
    assert mine.fault is not None
    assert theirs.fault is not None
    if mine.fault.kind is not theirs.fault.kind:
        return Likeness.DIFFERENT
    if isinstance(mine.outcome, ends.Raised) and isinstance(theirs.outcome, ends.Raised):
        if mine.outcome.type != theirs.outcome.type:
            return Likeness.DIFFERENT
        return Likeness.SAME if mine.outcome.message == theirs.outcome.message else Likeness.AKIN
    if isinstance(mine.outcome, ends.Returned) and isinstance(theirs.outcome, ends.Returned):
        if repr(mine.outcome.value) == repr(theirs.outcome.value):
            return Likeness.SAME
        alike = mine.fault.summary.split(":")[0] == theirs.fault.summary.split(":")[0]
        same = alike and _same_facts(_facts(mine.outcome.value), _facts(theirs.outcome.value))
        return Likeness.AKIN if same else Likeness.DIFFERENT
    return Likeness.SAME


def _facts(value: Any) -> list[Any]:
    """Return what two akin answers have in common: all but integers, which are labels or counts."""
    if isinstance(value, dict):
        return [
            fact for name, item in value.items() for fact in (name, *([item] if type(item) is int else _facts(item)))
        ]
    if isinstance(value, list | tuple):
        return [fact for item in value if type(item) is not int for fact in _facts(item)]
    return [value]


def _same_facts(mine: list[Any], theirs: list[Any]) -> bool:
    if len(mine) != len(theirs):
        return False
    for one, other in zip(mine, theirs, strict=True):
        if type(one) is not type(other) or np.shape(one) != np.shape(other):
            return False
        numbers = np.asarray(one).dtype.kind in "fc"
        if not (np.allclose(one, other, rtol=1e-9, equal_nan=True) if numbers else np.all(one == other)):
            return False
    return True


def _same_values(mine: Observation, theirs: Observation) -> bool:
    """Whether every wrong result of the candidate's answer is wrong in the other, with the same value."""
    assert mine.got is not None
    assert theirs.got is not None
    for got, other, wrong, theirs_wrong, part in zip(
        mine.got, theirs.got, mine.wrong, theirs.wrong, mine.expected.parts, strict=True
    ):
        if not wrong:
            continue
        if not theirs_wrong or got is None or other is None or got.shape != other.shape:
            return False
        tolerance = np.asarray(
            part.tolerance if part.tolerance.shape == got.shape else np.max(part.tolerance, initial=0)
        )
        if part.deviation is not None:  # both were given the same draws
            tolerance = 1e-5 * np.max(np.abs(other), initial=0)
        with np.errstate(all="ignore"):
            room = 16 * tolerance + 1e-12 * np.abs(other)
        if not close(got, other, room):
            return False
    return True


def close(got: NDArray[Any], want: NDArray[Any], tolerance: NDArray[Any]) -> bool:
    """Whether two arrays agree everywhere, NaN with NaN and infinity with infinity."""
    with np.errstate(all="ignore"):
        same = (np.abs(got - want) <= tolerance) | (np.isnan(got) & np.isnan(want)) | (got == want)
    return bool(np.all(same))


def class_of(o: Observation) -> str:
    """Return the class of inputs of a case."""
    return o.case.label.split(" · ")[0]


def suffix_of(o: Observation) -> str:
    """Return the variant of a case within its class, such as `float32`."""
    return o.case.label.partition(" · ")[2]


def spread(observations: list[Observation], most: int = _MOST) -> list[Observation]:
    """Select a varied sample: one observation of each class of inputs and of each variant, then another of each."""
    chosen: list[Observation] = []
    for mark in (class_of, suffix_of, class_of, suffix_of):
        known: set[str] = set()
        for o in observations:
            if mark(o) not in known and not any(o is c for c in chosen):
                known.add(mark(o))
                chosen.append(o)
    return chosen[:most]


def evidence(failing: list[Observation]) -> list[Observation]:
    """Select the failing observations that a rule must explain; the first is always among them.

    If two operands are one node, a right and a wrong contribution add up, which no single rule explains. Such cases
    count only if the first failing case is one. For a wrong shape, only other wrong shapes count.
    """
    first = failing[0]
    alike = failing
    if not first.case.alias:
        alike = [o for o in failing if not o.case.alias]
    if first.fault is not None and first.fault.kind is FaultKind.SHAPE:
        alike = [o for o in alike if o.fault is not None and o.fault.kind is FaultKind.SHAPE]
    return [first, *spread(alike[1:])]
