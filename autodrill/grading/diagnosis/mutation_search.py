"""Mutation search: the mutant of the worked solution that answers as the candidate's code does."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 inputs are arrays

from autodrill.drills.mutants import each_mutant
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import put_once
from autodrill.grading.diagnosis.mutation_messages import OF_STRUCTURE, slip_rule
from autodrill.grading.diagnosis.similarity import Likeness, has_numbers, likeness, of_forward, ordinary
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

__all__ = ["one_slip"]

_TRIES = 400
"""Number of loads and calls that the search may make. They take some tenths of a second, because the learner waits. It
is a count and not a time, so that the message does not depend on how busy the machine is."""

_CALL_SECONDS = 0.25
"""Time limit of one load or call, a thousand times what it needs. An endless loop in a mutant ends the search."""


def one_slip(
    spare: Runner,
    drill: Drill,
    failing: list[Observation],
    passing: list[Observation],
    *,
    tries: int = _TRIES,
) -> Rule | None:
    """Return the rule of the mutant that answers as the candidate's code does, or None.

    The candidate's code may look quite different, so the rule describes its results. A mutant counts only if it gives
    the same numbers wherever they are wrong, and right ones wherever they are right.

    Args:
        spare: A runner for code other than the candidate's.
        drill: The exercise.
        failing: Failing observations, the smallest first; never empty.
        passing: Observations without a fault.
        tries: Number of loads and calls before giving up.
    """
    if failing[0].got is None or drill.kind.on_device:
        return None  # an exception or an object cannot distinguish mutants
    asked = [o for o in (*failing, *passing) if not o.case.large and has_numbers(o)]
    ever_wrong = {i for o in failing for i, wrong in enumerate(o.wrong) if wrong}
    asked = [o for o in asked if o is failing[0] or any(o is usual for usual in ordinary(asked))]
    if not ever_wrong or not any(o.fault for o in asked) or not _tells_mutants_apart(asked):
        return None
    scenario = drill.kind.scenario(drill)
    left = itertools.count(tries, -1)
    for mutant in each_mutant(drill.solution.source, cotangents=drill.solution.cotangents, given=drill.exercise.stub):
        if spare.finished or next(left) <= 0:
            return None
        source = mutant.source.encode()
        loaded = spare.load(source, drill.exercise.path.name, drill.exercise.entry, scenario, seconds=_CALL_SECONDS)
        if isinstance(loaded, ends.Loaded) and all(
            next(left) > 0 and _alike(spare, drill, o, ever_wrong) for o in asked
        ):
            rule = slip_rule(mutant)
            return None if drill.solution.drive and rule.key in OF_STRUCTURE else rule
    return None


def _tells_mutants_apart(asked: list[Observation]) -> bool:
    """Whether a wrong result holds any number but 0, 1, -1 and NaN: those are flags, which many mutants share."""
    wrong = [got for o in asked if o.got is not None for got, off in zip(o.got, o.wrong, strict=True) if off]
    return any(np.any(np.isfinite(got) & (np.abs(got) != 1) & (got != 0)) for got in wrong if got is not None)


def _alike(spare: Runner, drill: Drill, o: Observation, ever_wrong: set[int]) -> bool:
    """Whether the loaded mutant answers a case as the candidate's code does; False if it could not be asked."""
    if spare.finished:
        return False
    try:
        theirs = put_once(spare, drill, o.case, o.expected, seconds=_CALL_SECONDS)
    except InternalError:
        return False
    return likeness(o, of_forward(drill, theirs, ever_wrong), ever_wrong) is Likeness.SAME
