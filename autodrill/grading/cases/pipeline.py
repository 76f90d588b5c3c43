"""Putting cases to the code that is loaded in a runner, without waiting for one answer before asking for the next."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.grading.cases.compare import compare, compare_call
from autodrill.grading.cases.question import question, single_call
from autodrill.grading.cases.records import Question
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.runner import UNDER_WAY

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["put", "put_case", "put_once"]


def put(
    runner: Runner, drill: Drill, questions: Iterable[Question], *, ahead: int = UNDER_WAY
) -> Generator[Observation]:
    """Put questions one after another, and yield the observation of each, until the process ends.

    Args:
        runner: With the code loaded.
        drill: The exercise.
        questions: The questions, each made when it is about to be sent.
        ahead: How many to send before the first answer is looked at: see `Runner.answers`.
    """
    upcoming = iter(questions)
    unanswered: deque[Question] = deque()

    def requests() -> Iterator[Request]:
        for waiting in tuple(unanswered):
            yield waiting.request
        for coming in upcoming:
            unanswered.append(coming)
            yield coming.request

    odd: Observation | None
    while not runner.finished:
        odd = None
        with closing(runner.answers(requests(), ahead=ahead)) as answers:
            for outcomes in answers:
                seen = compare(drill, unanswered.popleft(), outcomes)
                if seen.fault is not None and seen.fault.kind is FaultKind.NONLINEAR:
                    odd = seen
                    break
                yield seen
        if odd is None:
            return
        # Settle it while no other call is under way, then go on with the questions that were.
        yield _settled(runner, drill, odd)


def put_case(runner: Runner, drill: Drill, what: Case | Question) -> Observation:
    """Put one case with its further calls.

    Args:
        runner: With the code loaded.
        drill: The exercise.
        what: The case, or the question made of it before.

    Raises:
        InternalError: The exercise contradicts itself.
    """
    asked = what if isinstance(what, Question) else _question(runner, drill, what)
    (outcomes,) = runner.answers([asked.request])
    return _settled(runner, drill, compare(drill, asked, outcomes))


def put_once(
    runner: Runner, drill: Drill, case: Case, expected: Expected, *, seconds: float | None = None
) -> Observation:
    """Put one case as a single call, with expected results of the caller's own.

    Args:
        runner: With the code loaded.
        drill: The exercise.
        case: The case.
        expected: Its expected results.
        seconds: Wall time, in place of the limits'.
    """
    limit = runner.limits.seconds if seconds is None else seconds
    (outcomes,) = runner.answers([single_call(drill, case, expected, seconds=limit).request])
    return compare_call(drill, case, expected, outcomes[0])


def _question(runner: Runner, drill: Drill, case: Case) -> Question:
    return question(drill, case, expected_results(drill, case), seconds=runner.limits.seconds)


def _settled(runner: Runner, drill: Drill, seen: Observation) -> Observation:
    """Put a case again whose answer seems not to be linear: what depends on earlier calls looks like anything else.

    Twice in a row, because other cases came in between and may hide what the first one left behind.
    """
    if seen.fault is None or seen.fault.kind is not FaultKind.NONLINEAR or runner.finished:
        return seen
    for _ in range(2):
        again = put_once(runner, drill, seen.case, seen.expected).fault
        if again is not None:
            summary = f"the same call again: {again.summary}"
            return replace(seen, fault=Fault(FaultKind.UNREPEATABLE, summary, again.line))
    return seen
