"""Putting one question after another to the code that is loaded, without waiting for the answer to each."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING

from autodrill.grading.cases.question import observe, settle
from autodrill.grading.report import FaultKind
from autodrill.sandbox.runner import UNDER_WAY

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.cases.compare import Observation
    from autodrill.grading.cases.question import Question
    from autodrill.sandbox.requests import Request
    from autodrill.sandbox.runner import Runner

__all__ = ["put_each"]


def put_each(
    process: Runner, exercise: Exercise, solution: Solution, questions: Iterable[Question], *, ahead: int = UNDER_WAY
) -> Generator[Observation]:
    """Yield what the answer to each question shows, until the process ends.

    Args:
        process: With the code loaded.
        exercise: The exercise.
        solution: Its solution side.
        questions: The questions, each made when it is about to be asked.
        ahead: How many to ask at first before the first answer is looked at: see `Runner.answers`.
    """
    upcoming = iter(questions)
    unanswered: deque[Question] = deque()

    def requests() -> Iterator[Request]:
        for question in tuple(unanswered):
            yield question.request
        for question in upcoming:
            unanswered.append(question)
            yield question.request

    odd: Observation | None
    while not process.finished:
        odd = None
        with closing(process.answers(requests(), ahead=ahead)) as answers:
            for ends in answers:
                question = unanswered.popleft()
                seen = observe(exercise, solution, question, ends)
                if seen.fault is not None and seen.fault.kind is FaultKind.NONLINEAR:
                    odd = seen
                    break
                yield seen
        if odd is None:
            return
        # With nothing else under way, and then on with those that were.
        yield settle(process, exercise, solution, question, odd)
