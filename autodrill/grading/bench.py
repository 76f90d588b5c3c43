"""Grading many programs for one exercise, unexplained: right answers are computed once, one process serves them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from autodrill.drills.cases import battery
from autodrill.grading import outcome as ends
from autodrill.grading.ask import scenario_source
from autodrill.grading.limits import CHECK_LIMITS
from autodrill.grading.probe import put
from autodrill.grading.process import Runner
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from autodrill.drills.cases import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.process import Limits
    from autodrill.grading.truth import Truth

__all__ = ["Bench", "Found"]


@dataclass(frozen=True, slots=True)
class Found:
    """Why a program fails: the first case it fails, and what is wrong there."""

    label: str
    summary: str


class Bench:
    """A place to put one program after another to the cases that `grade` would put them to.

    Use it as a context manager: it holds a process. A program that ends the process costs the start of another.
    """

    def __init__(self, exercise: Exercise, solution: Solution, limits: Limits = CHECK_LIMITS) -> None:
        self._exercise = exercise
        self._solution = solution
        self._scenario = scenario_source(exercise, solution)
        self._limits = limits
        self._runner = Runner.start(limits)
        self._cases: dict[int, list[Case]] = {}
        self._truths: dict[tuple[int, int], Truth] = {}

    def first_fault(self, source: str, seeds: Iterable[int]) -> Found | None:
        """Return the first fault that makes `grade` fail a program under one of the seeds, or None if there is none.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        loaded = self._alive().load(source.encode(), self._exercise.path.name, self._exercise.id, self._scenario)
        if not isinstance(loaded, ends.Loaded):
            return Found("", f"it cannot be loaded: {type(loaded).__name__}")
        return next((found for seed in seeds if (found := self._under(seed))), None)

    def fault_of(self, case: Case) -> Found | None:
        """Return what the program put to the bench last does wrong in a case of the caller's own.

        Raises:
            InternalError: The exercise contradicts itself.
            RuntimeError: That program ended its process.
        """
        return self._put(case, truth(self._exercise, self._solution, case))

    def cases(self, seed: int) -> list[Case]:
        """The battery of a seed."""
        if seed not in self._cases:
            self._cases[seed] = battery(self._exercise, self._solution, seed)
        return self._cases[seed]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._runner.close()

    def _alive(self) -> Runner:
        if self._runner.finished:
            self._runner = Runner.start(self._limits)
        return self._runner

    def _under(self, seed: int) -> Found | None:
        for index, case in enumerate(self.cases(seed)):
            if case.remark:
                continue
            place = (seed, index)
            if place not in self._truths:
                self._truths[place] = truth(self._exercise, self._solution, case)
            found = self._put(case, self._truths[place])
            if found is not None:
                return found
        return None

    def _put(self, case: Case, known: Truth) -> Found | None:
        fault = put(self._runner, self._exercise, self._solution, case, known).fault
        return None if fault is None else Found(case.label, fault.summary)
