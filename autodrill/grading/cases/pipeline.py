"""Pipeline: puts questions to the code loaded in a runner, several ahead of the answers."""

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

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["put", "put_case", "put_once"]


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
        if again is not None:
            summary = f"the same call again: {again.summary}"
            return replace(seen, fault=Fault(FaultKind.UNREPEATABLE, summary, again.line))
    return seen
