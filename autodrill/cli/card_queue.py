"""The cards of a quiz: due questions and exercises, then new questions, within the daily limits; or cards to cram."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from autodrill.bank.questions import Question
from autodrill.cli.options import now
from autodrill.errors import UnknownNameError
from autodrill.practice.agenda import DailyLimits, daily_limits
from autodrill.practice.enqueued import enqueued_first
from autodrill.practice.log_records import Rating
from autodrill.practice.schedule import Schedule, schedule_of
from autodrill.practice.session import Filter, choose, interleaved, with_exercises

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.cli.keyboard import TerminalKeyboard
    from autodrill.drills.exercise import Heading
    from autodrill.practice.store import Store

__all__ = ["cram_cards", "limits_today", "named_cards", "practisable", "scheduled_cards", "watch_from"]

LATELY = timedelta(days=14)
"""How far back `--missed` looks."""


def limits_today(store: Store | None) -> DailyLimits:
    """Return the daily limits and how much of each is used."""
    return daily_limits(store, now().astimezone(), store.reviews()) if store else DailyLimits()


def scheduled_cards(
    bank: Sequence[Question], store: Store | None, only: Filter, *, limit: int, seed: int | None, ahead: bool
) -> tuple[Question | Heading, ...]:
    """Return the due questions and exercises, and then new questions."""
    schedule = schedule_of(store, now()) if store else Schedule()
    excused = store.excused() if store else frozenset[str]()
    limits = limits_today(store)
    most_due = limits.reviews_left
    chosen = choose(
        bank,
        schedule,
        now(),
        only=only,
        limit=limit,
        seed=seed,
        ahead=ahead,
        excused=excused,
        most_due=most_due,
        most_new=limits.new_left,
    )
    chosen = enqueued_first(chosen, bank, store, only, limit)
    return with_exercises(chosen, _due_exercises(schedule, only), schedule, now(), limit=limit, most_due=most_due)


def _due_exercises(schedule: Schedule, only: Filter) -> list[Heading]:
    """Return the due exercises that a filter admits. A filter by kind or difficulty means questions."""
    names = [s.card.removeprefix("x:") for s in schedule.due(now()) if s.card.startswith("x:")]
    if not names or only.kinds or only.difficulties:
        return []
    from autodrill.drills.exercise import load_headings
    from autodrill.drills.library import Library

    paths = Library.open().paths
    found = load_headings(paths[name] for name in names if name in paths)
    return [e for e in found if not only.topics or not only.topics.isdisjoint(e.topics)]


def cram_cards(
    bank: Sequence[Question], store: Store | None, only: Filter, *, missed: bool, limit: int, seed: int
) -> tuple[Question, ...]:
    """Return questions whether they are due or not, shuffled.

    Args:
        bank: The questions to choose from.
        store: The history, or None if there is none.
        only: The filter.
        missed: Whether to take only questions that were rated Again in the last 14 days.
        limit: The maximal number of questions.
        seed: Shuffles the questions.
    """
    chosen = choose(bank, Schedule(), now(), only=only, seed=seed)
    if missed:
        since = now() - LATELY
        again = {r.card for r in (store.reviews() if store else ()) if r.rating is Rating.AGAIN and r.at >= since}
        chosen = tuple(question for question in chosen if f"q:{question.id}" in again)
    return tuple(interleaved(chosen[:limit]))


def watch_from(keyboard: TerminalKeyboard) -> Callable[[str], None]:
    """Return a function that runs `autodrill watch NAME` until the learner quits it."""

    def watch(name: str) -> None:
        import signal
        import subprocess

        with keyboard.released():
            # Ctrl-C reaches both processes. It ends `watch`, and the quiz goes on. A handler is not inherited.
            before = signal.signal(signal.SIGINT, lambda *_: None)
            try:
                command = [sys.executable, "-m", "autodrill", "watch", name]
                subprocess.run(command, check=False)  # noqa: S603  this program itself
            finally:
                signal.signal(signal.SIGINT, before)

    return watch


def named_cards(bank: Sequence[Question], ids: str) -> tuple[Question, ...]:
    """Return the questions with these ids, in this order."""
    from difflib import get_close_matches

    from autodrill.bank.retired import retired_questions

    by_id = {question.id: question for question in bank}
    names = [name.strip() for name in ids.split(",") if name.strip()]
    for name in names:
        if name not in by_id:
            old = retired_questions().get(name)
            nearest = [] if old else get_close_matches(name, by_id)
            hint = old.notice if old else "`autodrill quiz --search TEXT` finds the ids of questions"
            raise UnknownNameError("question", name, nearest, hint=None if nearest else hint)
    return tuple(by_id[name] for name in names)


def practisable(cards: Sequence[Question | Heading]) -> tuple[Question | Heading, ...]:
    """Drop references to exercises that do not exist, so that every command a card shows works."""
    from autodrill.folders import content_root, visible_files

    there = {path.stem for path in visible_files(content_root() / "exercises", ".py")}
    return tuple(
        replace(card, exercises=tuple(e for e in card.exercises if e in there)) if isinstance(card, Question) else card
        for card in cards
    )
