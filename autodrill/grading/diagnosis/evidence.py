"""Evidence for a rule: the failing observations it must explain and the passing ones it must not contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind

if TYPE_CHECKING:
    from autodrill.grading.cases.records import Observation

__all__ = ["class_of", "evidence", "spread", "suffix_of"]

_MOST = 32
"""Number of failing and of passing cases that a rule is checked against."""


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
