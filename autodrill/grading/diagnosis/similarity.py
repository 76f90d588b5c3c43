"""Similarity of two programs' answers, which identifies a known mistake, and the cases that are evidence for a rule."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import FaultKind
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

__all__ = [
    "Likeness",
    "class_of",
    "close",
    "evidence",
    "has_numbers",
    "is_comparable",
    "likeness",
    "of_forward",
    "ordinary",
    "spread",
    "suffix_of",
]


_MOST = 32
"""Number of failing and of passing cases that a rule is checked against."""

_UNEXPLAINED = 0.01
"""Share of an error that a mistake may leave unexplained: another epsilon changes a result less than a mistake does."""

_EXCEPTIONS = (
    # What is looked up is absent.
    frozenset({"KeyError", "IndexError", "LookupError", "ValueError", "StopIteration", "AxisError"}),
    frozenset({"AssertionError", "RuntimeError", "Exception", "ValueError"}),  # usually raised on purpose
)
"""Kinds of exceptions. The type within a kind is a matter of style: `list.remove` or `del` of a missing entry."""


_ARRAY = re.compile(r"`\w+(?=\[)")
"""The name of an array before an index, in the message of a device."""


class Likeness(IntEnum):
    """The similarity of another program's answer to the candidate's."""

    DIFFERENT = 0
    AKIN = 1
    """Both are wrong, possibly for the same reason."""
    NEAR = 2
    """Every wrong result has nearly the same value in the other program: its error explains all but a hundredth."""
    PARTLY = 3
    """Every wrong result has the same value in the other program, which gets further results wrong."""
    SAME = 4


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
    if not has_numbers(mine):
        return Likeness.AKIN  # for an empty array the same mistake has many outcomes
    if mine.got is None or theirs.got is None:
        return _of_ends(mine, theirs)
    if not any(mine.wrong):
        return Likeness.SAME if mine.fault.kind is theirs.fault.kind else Likeness.DIFFERENT
    if not _same_values(mine, theirs):
        return Likeness.NEAR if _same_values(mine, theirs, nearly=True) else Likeness.DIFFERENT
    if not any(wrong and i not in ever_wrong for i, wrong in enumerate(theirs.wrong)):
        return Likeness.SAME
    return Likeness.DIFFERENT if _has_wrong_counts_only(mine) else Likeness.PARTLY


def _has_wrong_counts_only(mine: Observation) -> bool:
    """Whether every wrong result is one whole number, such as a number of steps. Many mistakes share a count."""
    parts = zip(mine.wrong, mine.expected.parts, strict=True)
    return all(part.value.ndim == 0 and part.value.dtype.kind in "iu" for wrong, part in parts if wrong)


def _of_ends(mine: Observation, theirs: Observation) -> Likeness:
    """Compare two answers of which at least one has no results."""
    assert mine.fault is not None
    assert theirs.fault is not None
    if mine.fault.kind is not theirs.fault.kind:
        return Likeness.DIFFERENT
    if isinstance(mine.outcome, ends.Raised) and isinstance(theirs.outcome, ends.Raised):
        if mine.outcome.type == theirs.outcome.type and mine.outcome.message == theirs.outcome.message:
            return Likeness.SAME
        if mine.fault.kind is FaultKind.DEVICE:
            return _of_device_faults(mine.outcome, theirs.outcome)
        types = {mine.outcome.type, theirs.outcome.type}
        return Likeness.AKIN if len(types) == 1 or any(types <= kind for kind in _EXCEPTIONS) else Likeness.DIFFERENT
    if isinstance(mine.outcome, ends.Returned) and isinstance(theirs.outcome, ends.Returned):
        if repr(mine.outcome.value) == repr(theirs.outcome.value):
            return Likeness.SAME
        alike = mine.fault.summary.split(":")[0] == theirs.fault.summary.split(":")[0]
        counts = any(letter.isdigit() for letter in mine.fault.summary)  # else no count is wrong
        facts = [_facts(o.outcome.value, counts=counts) for o in (mine, theirs) if isinstance(o.outcome, ends.Returned)]
        same = alike and _same_facts(*facts)
        return Likeness.AKIN if same else Likeness.DIFFERENT
    return Likeness.SAME


def _of_device_faults(mine: ends.Raised, theirs: ends.Raised) -> Likeness:
    """Compare two faults of the device with unequal messages.

    Kernels with the same mistake are out of bounds in the same threads at the same index, but either may be the first
    to read another array of that size. A kernel in which other threads have a fault, or at another element, has
    another mistake. Which threads miss a barrier says little: it depends on the guard.
    """
    if mine.type != theirs.type:
        return Likeness.DIFFERENT
    if mine.type == "divergent barrier":
        return Likeness.AKIN
    same = mine.type == "out of bounds" and _ARRAY.sub("", mine.message) == _ARRAY.sub("", theirs.message)
    return Likeness.SAME if same else Likeness.DIFFERENT


def _facts(value: Any, *, counts: bool) -> list[Any]:
    """Return what two akin answers have in common: all but integers, which are labels, or counts unless these count."""
    if isinstance(value, dict):
        items = [(name, item) for name, item in value.items() if counts or type(item) is not int]
        return [
            fact
            for name, item in items
            for fact in (name, *([item] if type(item) is int else _facts(item, counts=counts)))
        ]
    if isinstance(value, list | tuple):
        return [fact for item in value if type(item) is not int for fact in _facts(item, counts=counts)]
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


def _same_values(mine: Observation, theirs: Observation, *, nearly: bool = False) -> bool:
    """Whether every wrong result of the candidate's answer is wrong in the other, with the same or nearly the same
    value.
    """
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
            if nearly:
                error = np.max(np.abs(other - part.value), initial=0.0) if other.shape == part.value.shape else 0.0
                room = room + (_UNEXPLAINED * error if np.isfinite(error) else 0.0)
        if not close(got, other, room):
            return False
    return True


def close(got: NDArray[Any], want: NDArray[Any], tolerance: NDArray[Any]) -> bool:
    """Whether two arrays agree everywhere, NaN with NaN and infinity with infinity."""
    with np.errstate(all="ignore"):
        same = (np.abs(got - want) <= tolerance) | (np.isnan(got) & np.isnan(want)) | (got == want)
    return bool(np.all(same))


def of_forward(drill: Drill, o: Observation, ever_wrong: set[int]) -> Observation:
    """Return an observation of the forward's outputs alone if these are ever wrong, otherwise the same observation.

    A wrong forward can have any backward, right or wrong for it.
    """
    outputs = {i for i, part in enumerate(o.expected.parts) if not part.linear} & ever_wrong
    if not drill.kind.has_forward or not outputs or o.got is None or o.fault is None:
        return o
    wrong = tuple(off and not part.linear for off, part in zip(o.wrong, o.expected.parts, strict=True))
    return replace(o, wrong=wrong, fault=o.fault if any(wrong) else None)


def is_comparable(o: Observation) -> bool:
    """Whether every wrong result is finite and has the right shape, so that its error is an array."""
    return o.got is not None and all(
        not off or (got is not None and got.shape == part.value.shape and bool(np.isfinite(got).all()))
        for got, part, off in zip(o.got, o.expected.parts, o.wrong, strict=True)
    )


def has_numbers(o: Observation) -> bool:
    """Whether no input of a case is empty."""
    return all(np.size(v) for v in o.case.inputs.values())


def ordinary(observations: Sequence[Observation], *, size_one: bool = False) -> list[Observation]:
    """Select the ordinary cases: those that every variant of a mistake answers alike.

    Left out are empty arrays, other dtypes and layouts, scaled or zero cotangents, points without a derivative, and
    numbers that are not finite. If no failing case is left, every case counts as ordinary.

    Args:
        observations: The cases.
        size_one: Whether cases are ordinary in which some axes have size 1, as where broadcasting copies an input.
            Without it they are ordinary only if no other failing case is.
    """
    dtype = "float64" if any(o.case.dtype == "float64" for o in observations) else "float32"
    usual = [o for o in observations if o.case.dtype == dtype and _is_usual(o)]
    larger = [o for o in usual if not _has_size_one(o)]
    for chosen in ([] if size_one else larger, usual):
        if any(o.fault is not None for o in chosen):
            return chosen
    return list(observations)


def _is_usual(o: Observation) -> bool:
    case = o.case
    if case.large or case.strided or case.alias or case.scale != 1 or not case.smooth or not has_numbers(o):
        return False
    if suffix_of(o) == "every size 1":
        return False
    if o.expected.cotangents and not any(np.any(c) for c in o.expected.cotangents):
        return False
    return all(np.isfinite(v).all() for v in case.inputs.values() if np.asarray(v).dtype.kind == "f")


def _has_size_one(o: Observation) -> bool:
    return any(1 in np.shape(v) for v in o.case.inputs.values())


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
