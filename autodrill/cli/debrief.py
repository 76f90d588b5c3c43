"""What a debrief needs from the learner's history: the code that passed, and the cards for the next quiz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.cli.options import now

if TYPE_CHECKING:
    from autodrill.practice.store import Store

__all__ = ["passed_code", "queue_cards"]


def passed_code(store: Store, exercise: str) -> str:
    """Return the learner's last code that passed an exercise; empty if none did."""
    passed = [attempt.source for attempt in store.attempts(exercise) if attempt.verdict == "pass"]
    return passed[-1] if passed else ""


def queue_cards(store: Store, exercise: str) -> tuple[str, ...]:
    """Put one or two questions on an exercise first in the next quiz, and return their ids."""
    from autodrill.bank.question_files import load_questions
    from autodrill.practice.enqueued import enqueue, questions_on
    from autodrill.practice.schedule import schedule_of

    moment = now()
    chosen = questions_on(exercise, load_questions(), schedule_of(store, moment))
    enqueue(store, chosen, moment)
    return tuple(question.id for question in chosen)
