"""Case set: the cases of an exercise under one seed, made once, and the questions put to submissions in advance."""

from __future__ import annotations

from collections import deque
from contextlib import closing, suppress
from dataclasses import replace
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.drills.case import class_of
from autodrill.drills.cases import battery, case_at, small_cases
from autodrill.errors import InternalError
from autodrill.grading.cases.compare import compare, compare_call
from autodrill.grading.cases.question import Observation, Question, question, single_call
from autodrill.grading.cases.unpack import not_returned
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.limits import CHECK_LIMITS, Limits
from autodrill.sandbox.outcomes import Broken, Died, Loaded, NotDefined, OutOfMemory, Overspent

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["CaseSet", "put", "put_case", "put_once"]

_SLACK = 2 << 20
"""Bytes for a file's own imports and definitions, and for a heap that grows in steps."""

_COPIES = 3
"""Copies of the arguments and results in memory at once: as bytes, as arrays, and one in between."""

_SMALLER = 120
"""Number of smaller cases to try. It is a count and not a time, so that a busy machine shows the same case."""

_CRASHES = {"signal SIGSEGV", "signal SIGABRT", "signal SIGBUS"}
"""How a process ends if it got no memory and did not check for this."""


class CaseSet:
    """The battery of a seed, with its expected results and questions, each made when first needed.

    Args:
        drill: The exercise.
        seed: Seed of the cases.
        limits: Limits of the processes that answer them.
        thorough: As in `expected_results`; for the proof of an exercise.
        differences: As in `expected_results`.

    Attributes:
        drill: The exercise.
        seed: The seed.
        limits: The limits.
    """

    def __init__(
        self,
        drill: Drill,
        seed: int,
        limits: Limits = CHECK_LIMITS,
        *,
        thorough: bool = False,
        differences: bool = True,
    ) -> None:
        self.drill = drill
        self.seed = seed
        self.limits = limits
        self._cases: list[Case] | None = None
        self._thorough = thorough
        self._differences = differences
        self._questions: dict[int, Question] = {}
        self._smaller: dict[int, tuple[list[Question | None], Iterator[Case]]] = {}

    @property
    def cases(self) -> list[Case]:
        """The battery.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        if self._cases is None:
            self._cases = battery(self.drill, self.seed)
        return self._cases

    @cached_property
    def _first_of_class(self) -> dict[tuple[str, str], int]:
        first: dict[tuple[str, str], int] = {}
        for index, case in enumerate(self.cases):
            first.setdefault(class_of(case), index)
        return first

    def chosen(self, only: int | None) -> Sequence[int]:
        """Return the indexes of the cases to put: all, or the one requested.

        Raises:
            InternalError: The exercise contradicts itself.
            UsageError: There is no such case.
        """
        if only is None:
            return range(len(self.cases))
        case_at(self.cases, only)
        return [only]

    def make_ahead(self, only: int | None) -> None:
        """Make the questions that will be put, while a process starts.

        Large cases are left out, because a wrong answer never gets there. If the exercise contradicts itself, this
        stops, and `question` raises the error later.

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
            checks = {"thorough": self._thorough, "differences": self._differences}
            expected = expected_results(self.drill, case, **checks)
            further = self._first_of_class[class_of(case)] == index
            seconds = self.limits.seconds
            self._questions[index] = question(self.drill, case, expected, seconds=seconds, further=further)
        return self._questions[index]

    def smaller(self, index: int) -> Generator[Question]:
        """Yield smaller cases like one of the battery, smallest first, to find the smallest that fails.

        Cases in which the exercise contradicts itself are left out.
        """
        if index not in self._smaller:
            like = self.cases[index]
            self._smaller[index] = [], islice(small_cases(self.drill, like, like.seed), _SMALLER)
        made, left = self._smaller[index]
        for place in count():
            if place == len(made):
                case = next(left, None)
                if case is None:
                    return
                made.append(self._small(case))
            question = made[place]
            if question is not None:
                yield question

    def _small(self, case: Case) -> Question | None:
        try:
            return question(self.drill, case, expected_results(self.drill, case), seconds=self.limits.seconds)
        except InternalError:
            return None

    def put(self, runner: Runner, indexes: Iterable[int]) -> Generator[tuple[int, Observation]]:
        """Put cases one after another to the loaded code, and yield each observation, until the process ends.

        Large cases come last, and only if no other case failed: a wrong method takes long there. So does a case with
        NaN cotangents, which shows nothing of another fault. A fault that only earns a remark does not count.

        Args:
            runner: A runner with the code loaded.
            indexes: The cases.

        Raises:
            InternalError: The exercise contradicts itself.
        """
        large: list[int] = []
        small: list[int] = []
        for index in indexes:
            (large if self.cases[index].large or self.cases[index].spoiled else small).append(index)
        right = True
        for index, seen in self._put(runner, small):
            right = right and (seen.fault is None or seen.tolerated)
            yield index, seen
        for index in large if right else ():
            yield from self._put_bounded(runner, index) if self.allowance(index) else self._put(runner, [index])

    def _put_bounded(self, runner: Runner, index: int) -> Generator[tuple[int, Observation]]:
        """Put a case in a process of its own, whose heap holds no memory freed by earlier calls."""
        other, loaded = runner.loaded_sibling(self.allowance(index))
        with other:
            if isinstance(loaded, Loaded):
                for _, seen in self._put(other, [index]):
                    yield index, self._blamed(runner, index, seen)
            elif isinstance(loaded, NotDefined | Broken):  # it loaded before: it is random, or has noticed the bound
                asked = self.question(index)
                fault = not_returned(loaded)
                yield index, Observation(asked.case, asked.expected, loaded, None, (), fault, question=asked)
            else:  # the same file loaded before: it now needs too much, or is random
                yield index, compare(self.drill, self.question(index), (loaded,))

    def _blamed(self, runner: Runner, index: int, seen: Observation) -> Observation:
        """Blame a crash or a long run on the memory bound if the same call returns right results without the bound.

        A library in C that gets no memory may crash instead of raising MemoryError. A process with hardly any memory
        left can spend seconds on the search for some.
        """
        end = seen.outcome
        starved = isinstance(end, Overspent) or (isinstance(end, Died) and end.how in _CRASHES)
        if not starved or runner.finished:
            return seen
        assert isinstance(end, Overspent | Died)
        unbounded = [free for _, free in self._put(runner, [index])]
        if not unbounded or unbounded[0].fault is not None:
            return seen
        return compare(self.drill, self.question(index), (OutOfMemory(self.allowance(index), end.line),))

    def allowance(self, index: int) -> int:
        """Return the bytes that a case's call may allocate, serialized arguments and results included; 0: no bound."""
        bound = self.cases[index].bound
        if bound is None or not bound.memory:
            return 0
        question = self.question(index)
        results = sum(part.value.nbytes for part in question.expected.parts)
        return bound.memory + _SLACK + _COPIES * (question.request.size + results)

    def _put(self, runner: Runner, indexes: Sequence[int]) -> Generator[tuple[int, Observation]]:
        questions = (self.question(index) for index in indexes)
        with closing(put(runner, self.drill, questions)) as observations:
            yield from zip(indexes, observations, strict=False)  # fewer if the process ends


def put(runner: Runner, drill: Drill, questions: Iterable[Question]) -> Generator[Observation]:
    """Put questions in order, and yield the observation of each, until the process ends.

    Args:
        runner: A runner with the code loaded.
        drill: The exercise.
        questions: The questions, each made when it is about to be sent.
    """
    upcoming = iter(questions)
    unanswered: deque[Question] = deque()

    def requests() -> Iterator[Request]:
        for waiting in tuple(unanswered):
            yield waiting.request
        for coming in upcoming:
            unanswered.append(coming)
            yield coming.request

    nonlinear: Observation | None
    while not runner.finished:
        nonlinear = None
        with closing(runner.answers(requests())) as answers:
            for outcomes in answers:
                seen = compare(drill, unanswered.popleft(), outcomes)
                if seen.fault is not None and seen.fault.kind is FaultKind.NONLINEAR:
                    nonlinear = seen
                    break
                yield seen
        if nonlinear is None:
            return
        # Repeat its call with no other call under way, then send the unanswered questions again.
        yield _settled(runner, drill, nonlinear)


def put_case(runner: Runner, drill: Drill, what: Case | Question) -> Observation:
    """Put one case with its further calls.

    Args:
        runner: A runner with the code loaded.
        drill: The exercise.
        what: The case, or its question if that was made before.

    Raises:
        InternalError: The exercise contradicts itself.
    """
    asked = what if isinstance(what, Question) else _question(runner, drill, what)
    (outcomes,) = runner.answers([asked.request])
    return _settled(runner, drill, compare(drill, asked, outcomes))


def put_once(
    runner: Runner, drill: Drill, case: Case, expected: Expected, *, seconds: float | None = None
) -> Observation:
    """Put one case as a single call, with the caller's expected results.

    Args:
        runner: A runner with the code loaded.
        drill: The exercise.
        case: The case.
        expected: Its expected results.
        seconds: Wall time, instead of that of the runner's limits.
    """
    limit = runner.limits.seconds if seconds is None else seconds
    (outcomes,) = runner.answers([single_call(drill, case, expected, seconds=limit).request])
    return compare_call(drill, case, expected, outcomes[0])


def _question(runner: Runner, drill: Drill, case: Case) -> Question:
    return question(drill, case, expected_results(drill, case), seconds=runner.limits.seconds)


def _settled(runner: Runner, drill: Drill, seen: Observation) -> Observation:
    """Repeat the call of a case that seems nonlinear: an answer that depends on earlier calls can look so.

    The call is repeated twice in a row, because the cases put in between may have overwritten the state.
    """
    if seen.fault is None or seen.fault.kind is not FaultKind.NONLINEAR or runner.finished:
        return seen
    for _ in range(2):
        again = put_once(runner, drill, seen.case, seen.expected).fault
        if again is not None and again.kind is FaultKind.TIME:
            return replace(seen, fault=again)
        if again is not None:
            summary = f"the same call fails when it is repeated: {again.summary}"
            return replace(seen, fault=Fault(FaultKind.UNREPEATABLE, summary, again.line))
    return seen
