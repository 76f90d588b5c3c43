"""The rule of an answer whose ranks exchange numbers outside the collectives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Rule
from autodrill.grading.cases.case_set import put
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.ranks import RankMode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.sandbox.runner import Runner

__all__ = ["OUTSIDE_COLLECTIVES", "is_right_together"]

OUTSIDE_COLLECTIVES = Rule(
    "outside-collectives",
    "a rank reads numbers that no collective brought to it: the answer is right only if the ranks share a process",
    "which variable does one rank write and another rank read? send its value through a collective",
)


def is_right_together(runner: Runner, drill: Drill, source: bytes, seen: Sequence[Observation]) -> bool:
    """Whether a wrong answer is right in every case if all ranks run in one process and share its variables.

    The cases are also repeated with a process for each rank, and must fail as before. Otherwise chance could explain
    the difference.

    Args:
        runner: A runner with the candidate's code loaded, or finished; its scenario has ranks.
        drill: The exercise.
        source: The candidate's file.
        seen: The observation of every case put. Large cases are left out.
    """
    asked = [o for o in seen if o.question is not None and not o.case.large]
    wrong = [o.fault is not None for o in asked]
    return any(wrong) and (
        _faults(runner, drill, source, asked, RankMode.AS_ONE) == [False] * len(asked)
        and _faults(runner, drill, source, asked, RankMode.APART) == wrong
    )


def _faults(runner: Runner, drill: Drill, source: bytes, asked: Sequence[Observation], ranks: RankMode) -> list[bool]:
    """Put cases to the file in a new process, and return which of them have a fault; fewer if the process ends."""
    with runner.sibling(runner.limits) as other:
        loaded = other.load(source, drill.exercise.path.name, *runner.called, ranks=ranks)
        if not isinstance(loaded, Loaded):
            return []
        questions = [o.question for o in asked if o.question is not None]
        return [answer.fault is not None for answer in put(other, drill, questions)]
