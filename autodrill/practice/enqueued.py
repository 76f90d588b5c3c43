"""The cards that a debrief puts first in the next quiz: questions that the exercise just passed practises."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from autodrill.practice.log_records import question_card

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.bank.questions import Question
    from autodrill.practice.schedule import Schedule
    from autodrill.practice.session import Filter
    from autodrill.practice.store import Store

__all__ = ["enqueue", "enqueued_first", "questions_on"]

_SETTING = "enqueued"
_MOST = 2


def questions_on(exercise: str, bank: Sequence[Question], schedule: Schedule) -> tuple[Question, ...]:
    """Return at most two questions that an exercise practises: unseen ones first, then those due soonest."""
    on_it = [question for question in bank if exercise in question.exercises]
    states = {question.id: schedule.state(question_card(question.id)) for question in on_it}
    unseen = [question for question in on_it if states[question.id] is None]
    seen = sorted((state.due, place) for place, q in enumerate(on_it) if (state := states[q.id]) is not None)
    return (*unseen, *(on_it[place] for _, place in seen))[:_MOST]


def enqueue(store: Store, questions: Sequence[Question], at: datetime) -> None:
    """Put questions first in the next quiz. A question that waits already is not put again."""
    waiting = _waiting(store)
    new = {question.id: at.isoformat() for question in questions if question.id not in waiting}
    if new:
        store.set(_SETTING, waiting | new, at)


def enqueued_first(
    chosen: Sequence[Question], bank: Sequence[Question], store: Store | None, only: Filter, limit: int | None
) -> tuple[Question, ...]:
    """Return the chosen questions with those that wait before them.

    Args:
        chosen: The questions of the session, in order.
        bank: All questions.
        store: The history.
        only: What the session asks.
        limit: The maximal number of questions.
    """
    waiting = _waiting(store) if store is not None else {}
    if not waiting:
        return tuple(chosen)
    first = [question for question in bank if question.id in waiting and only.admits(question)]
    return (*first, *(question for question in chosen if question not in first))[:limit]


def _waiting(store: Store) -> dict[str, str]:
    """Return the questions that wait, and since when. An answer ends the wait, so nothing has to be removed."""
    found = store.setting(_SETTING)
    if not isinstance(found, dict) or not found:
        return {}
    answered = {review.card: review.at for review in store.reviews()}
    return {
        name: since
        for name, since in found.items()
        if (at := answered.get(question_card(name))) is None or at < datetime.fromisoformat(since)
    }
