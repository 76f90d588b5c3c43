"""Evidence for a rule: the observations that it must explain, and those that it must not contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind

if TYPE_CHECKING:
    from autodrill.grading.cases.records import Observation

__all__ = ["class_of", "evidence", "spread", "suffix_of"]

_MOST = 32
"""How many failing and how many passing cases a rule is held against."""


def class_of(o: Observation) -> str:
    """The class of inputs a case belongs to."""
    return o.case.label.split(" · ")[0]


def suffix_of(o: Observation) -> str:
    """What is special about a case within its class, such as `float32`."""
    return o.case.label.partition(" · ")[2]


def spread(observations: list[Observation], most: int = _MOST) -> list[Observation]:
    """Choose observations that differ: of every class of inputs, then of every layout, first one and then another."""
    chosen: list[Observation] = []
    for mark in (class_of, suffix_of, class_of, suffix_of):
        known: set[str] = set()
        for o in observations:
            if mark(o) not in known and not any(o is c for c in chosen):
                known.add(mark(o))
                chosen.append(o)
    return chosen[:most]


def evidence(failing: list[Observation]) -> list[Observation]:
    """Choose the failing observations a rule must explain; the first is always among them.

    Where operands are one node a right line and a wrong one add up, which no single rule explains: such cases count
    only if nothing else fails. A wrong shape is explained by wrong shapes.
    """
    first = failing[0]
    alike = failing
    if not first.case.alias:
        alike = [o for o in failing if not o.case.alias]
    if first.fault is not None and first.fault.kind is FaultKind.SHAPE:
        alike = [o for o in alike if o.fault is not None and o.fault.kind is FaultKind.SHAPE]
    return [first, *spread(alike[1:])]
