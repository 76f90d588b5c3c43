"""Determinism of a wrong answer: whether equal calls give equal answers, and whether state or chance decides."""

from __future__ import annotations

import re
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.cases.question import answer_budget, answering
from autodrill.grading.cases.unpack import results
from autodrill.grading.diagnosis.similarity import close
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

    _Answer = list[NDArray[Any] | None] | None

__all__ = ["RANDOM", "UNINITIALISED", "Repetition", "is_uninitialised", "random_mistake", "repetition"]

_TIMES = 12

_SOME = 8
"""Number of cases that are repeated to see whether an answer still changes."""

_REPEATABLE = {
    FaultKind.SHAPE,
    FaultKind.NOT_FINITE,
    FaultKind.VALUE,
    FaultKind.NONLINEAR,
    FaultKind.UNREPEATABLE,
    FaultKind.NOISY,
}

RANDOM = Rule(
    "random",
    "the same call gives a different answer each time, so the result is random",
    "where do you draw random numbers, and which of these numbers did an earlier step draw already?",
)


UNINITIALISED = Rule(
    "uninitialised",
    "part of a result is never written: `np.empty` contains whatever the memory held",
    "which elements does no line set? start from `np.zeros`, or write every element",
)

_EMPTY = re.compile(rb"\bempty(_like)?(?=\s*\()")


class Repetition(Enum):
    """How the answers to equal calls are related."""

    EQUAL = "equal"
    STATE = "state"
    """They differ, and they differ in the same way after a reload of the file."""
    CHANCE = "chance"
    """They differ, and in another way after each reload."""


def repetition(
    runner: Runner,
    drill: Drill,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
) -> Repetition:
    """Return how the candidate's answers to equal calls are related; EQUAL if that is unknown.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        failing: Observations with a fault; never empty.
        passing: Observations without one, none of them large. They are repeated too: a random error can miss all of
            a few numbers, so that only a large case fails.
    """
    suspect = [o for o in failing if o.fault is not None and o.fault.kind in _REPEATABLE]
    if not suspect or runner.finished or drill.solution.judge is not None:
        return Repetition.EQUAL
    groups = ([o for o in suspect if not o.case.large], passing)
    repeated = [max(group, key=_numbers) for group in groups if group]  # a large result shows chance best
    known_to_change = any(o.fault is not None and o.fault.kind is FaultKind.UNREPEATABLE for o in suspect)
    changing = (o for o in repeated if known_to_change or _changes(_answers(runner, drill, o), o))
    changing_case = next(changing, None)
    if changing_case is None:
        return Repetition.EQUAL
    once, again = (_reloaded(runner, drill, changing_case) for _ in range(2))
    if len(once) != len(again):
        return Repetition.EQUAL  # the process ended during one of them
    if any(_differ(a, b, changing_case) for a, b in zip(once, again, strict=True)):
        return Repetition.CHANCE
    return Repetition.STATE if known_to_change or _changes(once, changing_case) else Repetition.EQUAL


def is_uninitialised(
    runner: Runner, drill: Drill, source: bytes, failing: Sequence[Observation], passing: Sequence[Observation]
) -> bool:
    """Whether answers that differ between equal calls no longer do once `np.zeros` replaces `np.empty`.

    Args:
        runner: A runner with the candidate's code loaded, or finished.
        drill: The exercise.
        source: The candidate's file.
        failing: Observations with a fault; never empty.
        passing: Observations without one, none of them large.
    """
    filled = _EMPTY.sub(rb"zeros\1", source)
    if filled == source or runner.finished:
        return False
    with runner.sibling(runner.limits) as other:
        loaded = other.load(filled, drill.exercise.path.name, *runner.called)
        return isinstance(loaded, Loaded) and _is_steady(other, drill, failing, passing)


def _is_steady(runner: Runner, drill: Drill, failing: Sequence[Observation], passing: Sequence[Observation]) -> bool:
    asked = [o for o in (*failing, *passing) if not o.case.large][:_SOME]
    answers = [(o, _answers(runner, drill, o)) for o in (*asked, *asked)]
    return not any(_changes(found, o) for o, found in answers) and not any(
        a and b and _differ(a[0], b[0], o)
        for (o, a), (_, b) in zip(answers[: len(asked)], answers[len(asked) :], strict=True)
    )


def random_mistake(
    runner: Runner,
    spare: Runner,
    drill: Drill,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
) -> Mistake | None:
    """Return the known mistake whose answers are random in the same cases, or None.

    Random answers cannot be compared by value. A mistake that is random where the candidate's code is steady is another
    mistake: a seed of 0 that is taken for no seed makes the answers random only for that seed.
    """
    steady = [o for o in passing[:_SOME] if not _changes(_answers(runner, drill, o), o)]
    for mistake in drill.solution.mistakes:
        if spare.finished:
            return None
        scenario = drill.kind.scenario(drill)
        loaded = spare.load(mistake.source.encode(), drill.exercise.path.name, drill.exercise.entry, scenario)
        if not isinstance(loaded, Loaded) or any(_mostly_changes(_answers(spare, drill, o), o) for o in steady):
            continue
        if repetition(spare, drill, failing, passing) is Repetition.CHANCE:
            return mistake
    return None


def _numbers(o: Observation) -> int:
    return sum(part.value.size for part in o.expected.parts)


def _reloaded(runner: Runner, drill: Drill, o: Observation) -> list[_Answer]:
    """Reload the file and repeat the call.

    The process stays the same: forks of one server would all draw the same numbers from NumPy's global generator.
    """
    if runner.finished or not isinstance(runner.reload(), Loaded):
        return []
    return _answers(runner, drill, o)


def _answers(runner: Runner, drill: Drill, o: Observation) -> list[_Answer]:
    """Repeat one call; fewer answers, or none, if the process ends or has ended."""
    if runner.finished:
        return []
    call = Call(drill.kind.arguments(drill, o.case, o.expected), watched=False)
    budget = answer_budget(o.case, o.expected)
    answer = answering(drill, o.case)
    request = call_request([call] * _TIMES, budget=budget, seconds=runner.limits.seconds, answer=answer)
    (ends,) = runner.answers([request])
    return [results(drill, o.expected, end)[0] for end in ends]


def _changes(answers: Sequence[_Answer], o: Observation) -> bool:
    return any(_differ(answers[0], answer, o) for answer in answers[1:])  # False without answers


def _mostly_changes(answers: Sequence[_Answer], o: Observation) -> bool:
    """Whether so many answers differ from the one before that equal random code would hardly ever look steady here.

    A mask that drops 1 element in 20 of two is often the same in all repetitions.
    """
    pairs = list(pairwise(answers))
    return 4 * sum(_differ(one, other, o) for one, other in pairs) > 3 * len(pairs)


def _differ(one: _Answer, other: _Answer, o: Observation) -> bool:
    """Whether two answers are further apart than rounding explains."""
    if one is None or other is None:
        return (one is None) is not (other is None)
    for a, b, part in zip(one, other, o.expected.parts, strict=True):
        if a is None or b is None:
            continue
        room = np.asarray(part.tolerance if part.tolerance.shape == a.shape else np.max(part.tolerance, initial=0.0))
        if a.shape != b.shape or not close(a.astype(np.float64), b.astype(np.float64), room):
            return True
    return False
