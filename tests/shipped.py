"""The shipped exercises, each read once in a process of the tests, and graded in forks with cases that are kept."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.diagnosis.known_mistakes import KnownMistakes
from autodrill.grading.grade import grade
from autodrill.grading.submission import Submission
from autodrill.sandbox.fork_server import own_code_launcher

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill, Exercise
    from autodrill.grading.report import Report
    from autodrill.sandbox.launcher import Launcher

__all__ = ["SHIPPED", "cases_of", "forks", "graded_in_a_fork"]


class _Shipped(Library):
    """A library that also keeps the solution sides. Collection alone would otherwise read each of them four times."""

    def drill(self, exercise: Exercise) -> Drill:
        """Return an exercise with its solution side."""
        return _read(exercise)


@cache
def _read(exercise: Exercise) -> Drill:
    return Library.drill(SHIPPED, exercise)


SHIPPED = _Shipped.open(environ={})


@cache
def forks() -> Launcher:
    """Fork the processes for answers from one that has loaded NumPy, until the tests end."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(own_code_launcher())


@lru_cache(maxsize=32)  # about 1.5 MB each; the tests of an exercise follow one another
def cases_of(exercise: Exercise, seed: int) -> tuple[CaseSet, KnownMistakes]:
    """Return the cases of a seed, and the known mistakes with their answers to them so far."""
    drill = SHIPPED.drill(exercise)
    return CaseSet(drill, seed), KnownMistakes(drill)


def graded_in_a_fork(exercise: Exercise, source: bytes, seed: int = 0, only: int | None = None) -> Report:
    """Grade the source of a submission as `grade` does, which also keeps cases and known mistakes for many files."""
    submission = Submission(source, f"{exercise.id}.py", f"{exercise.id}.py")
    cases, known = cases_of(exercise, seed)
    drill = SHIPPED.drill(exercise)
    return grade(drill, submission, seed=seed, only=only, case_set=cases, known=known, launcher=forks())
