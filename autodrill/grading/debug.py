"""Stepping through one case with the debugger: the candidate's own code, on their own terminal, without limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.cases import battery, case_at
from autodrill.grading.ask import arguments, scenario_source
from autodrill.grading.process import debug
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.explain import Submission

__all__ = ["step_through"]


def step_through(exercise: Exercise, solution: Solution, submission: Submission, *, seed: int, case: int) -> None:
    """Call the candidate's code on a case of the battery under pdb.

    Raises:
        UsageError: If the battery has no such case.
    """
    chosen = case_at(battery(exercise, solution, seed), case)
    args = arguments(exercise, solution, chosen, truth(exercise, solution, chosen))
    debug(submission.source, submission.path, exercise.id, scenario_source(exercise, solution), args)
