"""Everything about an exercise and a seed that does not depend on who answers: made once, put to many."""

from __future__ import annotations

from collections import deque
from contextlib import closing, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from autodrill.drills.cases import battery, case_at, class_of
from autodrill.errors import InternalError
from autodrill.grading.ask import scenario_source
from autodrill.grading.limits import CHECK_LIMITS, Limits
from autodrill.grading.outcome import Broken, Loaded, NotDefined
from autodrill.grading.probe import Question, observe, question, settle
from autodrill.grading.report import FaultKind
from autodrill.grading.truth import truth

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from autodrill.drills.cases import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.observe import Observation
    from autodrill.grading.process import Runner

__all__ = ["Prepared"]

_SLACK = 2 << 20
"""Bytes for what a file imports and defines, and for a heap that grows by steps."""

_COPIES = 3
"""How often arguments and results lie in memory at once: as they came or go, as arrays, and in between."""


class Prepared:
    """The cases of a seed, what is right for each, and the bytes that ask for it, each made when it is first needed.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        seed: Seed of the cases.
        limits: Limits of the processes it will be put to.
        thorough: As in `truth`: for the proof of an exercise.

    Attributes:
        exercise: The exercise.
        solution: Its solution side.
        seed: The seed.
        limits: The limits.
        scenario: What the candidate's code is put through, None to call it directly.
    """

    def __init__(
        self,
        exercise: Exercise,
        solution: Solution,
        seed: int,
        limits: Limits = CHECK_LIMITS,
        *,
        thorough: bool = False,
    ) -> None:
        self.exercise = exercise
        self.solution = solution
        self.seed = seed
        self.limits = limits
        self.scenario = scenario_source(exercise, solution)
        self._cases: list[Case] | None = None
        self._thorough = thorough
        self._questions: dict[int, Question] = {}

    @property
    def cases(self) -> list[Case]:
        """The battery.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        if self._cases is None:
            self._cases = battery(self.exercise, self.solution, self.seed)
        return self._cases

    @cached_property
    def _first_of_class(self) -> dict[tuple[str, str], int]:
        first: dict[tuple[str, str], int] = {}
        for index, case in enumerate(self.cases):
            first.setdefault(class_of(case), index)
        return first

    def chosen(self, only: int | None) -> Sequence[int]:
        """Return the indexes of the cases to put: all, or one that somebody has typed.

        Raises:
            InternalError: The exercise contradicts itself.
            UsageError: There is no such case.
        """
        if only is None:
            return range(len(self.cases))
        case_at(self.cases, only)
        return [only]

    def make_ahead(self, only: int | None) -> None:
        """Make the questions that will be put, while somebody else takes time; large ones, which may not, apart.

        Where the exercise contradicts itself this stops, and the question says so when it is put.

        Raises:
            UsageError: See `chosen`.
        """
        with suppress(InternalError):
            for index in self.chosen(only):
                if not self.cases[index].large:
                    self.question(index)

    def question(self, index: int) -> Question:
        """Return a case as it is put.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        if index not in self._questions:
            case = self.cases[index]
            known = truth(self.exercise, self.solution, case, thorough=self._thorough)
            self._questions[index] = question(
                self.exercise,
                self.solution,
                case,
                known,
                seconds=self.limits.seconds,
                repeated=self._first_of_class[class_of(case)] == index,
            )
        return self._questions[index]

    def put(
        self, process: Runner, indexes: Iterable[int], *, doubtful: bool = False
    ) -> Generator[tuple[int, Observation]]:
        """Put one case after another to the code that is loaded, and yield what each shows, until the process ends.

        A large case is put, after all others, to an answer that was right everywhere else: it takes long if it is
        answered the wrong way.

        Args:
            process: With the code loaded.
            indexes: Which cases.
            doubtful: Whether the caller will stop at the first fault, and expects it soon: then little is asked ahead.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        large: list[int] = []
        small: list[int] = []
        for index in indexes:
            (large if self.cases[index].large else small).append(index)
        right = True
        for index, seen in self._put(process, small, ahead=1 if doubtful else None):
            right = right and seen.fault is None
            yield index, seen
        for index in large if right else ():
            yield from self._put_bounded(process, index) if self._allowance(index) else self._put(process, [index])

    def _put_bounded(self, process: Runner, index: int) -> Generator[tuple[int, Observation]]:
        """Put a case in a process of its own: what was let go of before is not kept by anybody there."""
        other, loaded = process.again(self._allowance(index))
        with other:
            if isinstance(loaded, Loaded):
                yield from self._put(other, [index])
            elif not isinstance(loaded, NotDefined | Broken):  # it was loaded before: it needs too much, or is fickle
                yield index, observe(self.exercise, self.solution, self.question(index), (loaded,))

    def _allowance(self, index: int) -> int:
        """Bytes that the call of a case may allocate, its arguments and results as they travel included; 0 for any."""
        bound = self.cases[index].bound
        if bound is None or not bound.memory:
            return 0
        asked = self.question(index)
        results = sum(part.value.nbytes for part in asked.truth.parts)
        return bound.memory + _SLACK + _COPIES * (asked.request.size + results)

    def _put(
        self, process: Runner, indexes: Sequence[int], *, ahead: int | None = None
    ) -> Generator[tuple[int, Observation]]:
        left = deque(indexes)
        settings = {} if ahead is None else {"ahead": ahead}
        while left and not process.finished:
            odd = None
            requests = (self.question(index).request for index in tuple(left))
            with closing(process.answers(requests, **settings)) as answers:
                for ends in answers:
                    index = left.popleft()
                    seen = observe(self.exercise, self.solution, self.question(index), ends)
                    if seen.fault is not None and seen.fault.kind is FaultKind.NONLINEAR:
                        odd = index, seen
                        break
                    yield index, seen
            # With nothing else under way, and then on with those that were.
            if odd is not None:
                index, seen = odd
                yield index, settle(process, self.exercise, self.solution, self.question(index), seen)
