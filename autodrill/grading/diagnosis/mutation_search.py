"""Naming an answer that is one slip away from the worked solution: the results of the same program, one thing wrong."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 inputs are arrays

from autodrill.drills.mutants import each_mutant
from autodrill.errors import InternalError
from autodrill.grading.cases.pipeline import put_once
from autodrill.grading.diagnosis.mutation_messages import slip_rule
from autodrill.grading.diagnosis.similarity import Likeness, likeness
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.sandbox.runner import Runner

__all__ = ["one_slip"]

_TRIES = 400
"""How many files and calls the whole search may take, in all some tenths of a second: it comes last, while somebody
waits. They are counted and not timed, so that what is said does not hang on how busy the machine is."""

_CALL_SECONDS = 0.25
"""What one call may take, which needs a thousandth of it: a slip can make a loop endless, and that ends the search."""


def one_slip(
    bench: Runner,
    drill: Drill,
    told: list[Observation],
    held: list[Observation],
    *,
    tries: int = _TRIES,
) -> Rule | None:
    """Return the rule of the slip that turns the worked solution into a program that answers as the candidate's does.

    The candidate's code may look quite different; what is said of it is said of its results. A slip counts only if it
    leads to the same numbers wherever they are wrong, and to right ones wherever they are right.

    Args:
        bench: A process for other code than the candidate's.
        drill: The exercise.
        told: Failing observations, the smallest first; never empty.
        held: Observations without a fault.
        tries: How many files and calls to try before giving up.
    """
    if told[0].got is None or drill.kind.on_device:
        return None  # an exception or an object says too little to tell one slip from another
    asked = [o for o in (*told, *held) if not o.case.large and _has_numbers(o)]
    ever_wrong = {i for o in told for i, wrong in enumerate(o.wrong) if wrong}
    if not ever_wrong or not any(o.fault for o in asked):
        return None
    scenario = drill.kind.scenario(drill)
    left = itertools.count(tries, -1)
    for mutant in each_mutant(drill.solution.source, cotangents=drill.solution.cotangents, given=drill.exercise.stub):
        if bench.finished or next(left) <= 0:
            return None
        source = mutant.source.encode()
        loaded = bench.load(source, drill.exercise.path.name, drill.exercise.entry, scenario, seconds=_CALL_SECONDS)
        if isinstance(loaded, ends.Loaded) and all(
            next(left) > 0 and _alike(bench, drill, o, ever_wrong) for o in asked
        ):
            return slip_rule(mutant)
    return None


def _has_numbers(o: Observation) -> bool:
    return all(np.size(v) for v in o.case.inputs.values())


def _alike(bench: Runner, drill: Drill, o: Observation, ever_wrong: set[int]) -> bool:
    """Whether the program on the bench answers a case as the candidate's did; never where it could not be asked."""
    if bench.finished:
        return False
    try:
        theirs = put_once(bench, drill, o.case, o.expected, seconds=_CALL_SECONDS)
    except InternalError:
        return False
    return likeness(o, theirs, ever_wrong) is Likeness.SAME
