"""Asking the same of a wrong answer several times: is it the same each time, and if not, is it for what came before?"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.cases.question import answer_budget
from autodrill.grading.cases.unpack import results
from autodrill.grading.diagnosis.similarity import close
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.requests import Call, call_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.sandbox.runner import Runner

    _Answer = list[NDArray[Any] | None] | None

__all__ = ["RANDOM", "Repetition", "random_mistake", "repetition"]

_TIMES = 12

_ASKED = {
    FaultKind.SHAPE,
    FaultKind.NOT_FINITE,
    FaultKind.VALUE,
    FaultKind.NONLINEAR,
    FaultKind.UNREPEATABLE,
    FaultKind.NOISY,
}

RANDOM = Rule(
    "random",
    "the same call has another answer each time: chance decides",
    "what do you draw here, and who has drawn it before you?",
)


class Repetition(Enum):
    """How the answers to equal calls are related."""

    EQUAL = "equal"
    STATE = "state"
    """They differ, and differ in the same way when the file is loaded anew."""
    CHANCE = "chance"
    """They differ, each time in another way."""


def repetition(
    process: Runner,
    drill: Drill,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
) -> Repetition:
    """Say how the candidate's answers to equal calls are related; EQUAL where that is not known.

    Args:
        process: With the candidate's code loaded, or finished.
        drill: The exercise.
        failing: Observations with a fault; never empty.
        passing: Observations without one, none of them large. They are asked about too: of few numbers chance may
            have hit none, and a large case alone is wrong.
    """
    suspect = [o for o in failing if o.fault is not None and o.fault.kind in _ASKED]
    if not suspect or process.finished or drill.solution.judge is not None:
        return Repetition.EQUAL
    groups = ([o for o in suspect if not o.case.large], passing)
    asking = [max(group, key=_numbers) for group in groups if group]  # chance shows in many numbers
    known_to_change = any(o.fault is not None and o.fault.kind is FaultKind.UNREPEATABLE for o in suspect)
    changing = (o for o in asking if known_to_change or _changes(_answers(process, drill, o), o))
    telling = next(changing, None)
    if telling is None:
        return Repetition.EQUAL
    once, again = (_afresh(process, drill, telling) for _ in range(2))
    if len(once) != len(again):
        return Repetition.EQUAL  # one of them has ended the process: that says nothing
    if any(_differ(a, b, telling) for a, b in zip(once, again, strict=True)):
        return Repetition.CHANCE
    return Repetition.STATE if known_to_change or _changes(once, telling) else Repetition.EQUAL


def random_mistake(
    bench: Runner,
    drill: Drill,
    failing: Sequence[Observation],
    passing: Sequence[Observation],
) -> Mistake | None:
    """Return the exercise's own mistake whose answers change by chance too, if there is one; they equal no others."""
    for mistake in drill.solution.mistakes:
        if bench.finished:
            return None
        scenario = drill.kind.scenario(drill)
        loaded = bench.load(mistake.source.encode(), drill.exercise.path.name, drill.exercise.entry, scenario)
        if isinstance(loaded, Loaded) and repetition(bench, drill, failing, passing) is Repetition.CHANCE:
            return mistake
    return None


def _numbers(o: Observation) -> int:
    return sum(part.value.size for part in o.expected.parts)


def _afresh(process: Runner, drill: Drill, o: Observation) -> list[_Answer]:
    """Load the file once more and ask there.

    In the same process: forks of one server would all draw the same from NumPy's global generator.
    """
    if process.finished or not isinstance(process.reload(), Loaded):
        return []
    return _answers(process, drill, o)


def _answers(process: Runner, drill: Drill, o: Observation) -> list[_Answer]:
    """Ask the same several times; fewer answers, or none, where the process ends or has ended."""
    if process.finished:
        return []
    call = Call(drill.kind.arguments(drill, o.case, o.expected), watched=False)
    budget = answer_budget(o.case, o.expected)
    request = call_request([call] * _TIMES, budget=budget, seconds=process.limits.seconds)
    (ends,) = process.answers([request])
    return [results(drill, o.expected, end)[0] for end in ends]


def _changes(answers: Sequence[_Answer], o: Observation) -> bool:
    return any(_differ(answers[0], answer, o) for answer in answers[1:])  # of none, none


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
