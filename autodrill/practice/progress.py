"""Where a learner stands with the exercises: what is passed, what an attempt earns, which comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.practice.exercise_state import State
from autodrill.practice.log_records import Rating, exercise_card

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from autodrill.practice.store import Store

__all__ = ["Progress", "log_attempt", "log_giving_up", "next_exercise", "progress"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of every exercise attempted, and when its next review is due."""

    states: dict[str, State]
    due: dict[str, datetime]

    def state(self, exercise: str) -> State:
        """The state of one exercise."""
        return self.states.get(exercise, State.NEW)


def progress(store: Store, now: datetime) -> Progress:
    """Derive where every exercise stands from the log."""
    states: dict[str, State] = {}
    for attempt in store.attempts():
        if attempt.verdict == "pass":
            states[attempt.exercise] = State.PASSED
        else:
            states.setdefault(attempt.exercise, State.TRIED)
    due: dict[str, datetime] = {}
    reviews = [r for r in store.reviews() if r.card.startswith("x:")]
    if reviews:
        from autodrill.practice.schedule import Schedule

        schedule = Schedule(reviews)
        for card in schedule.states():
            name = card.card.removeprefix("x:")
            due[name] = card.due
            if card.due <= now and states.get(name) is State.PASSED:
                states[name] = State.DUE
    return Progress(states, due)


def log_attempt(store: Store, exercise: str, verdict: str, source: str, seed: int, now: datetime) -> datetime | None:
    """Append an attempt; a pass of a card that is new or due is its review.

    Passing cleanly is Good, hints beyond the first stage make it Hard. Passing again before it is due changes
    nothing: cramming is not remembering.

    Returns:
        When a passed exercise is due again, in UTC; None if the attempt is no pass.

    Raises:
        StoreError: The log cannot be written.
    """
    earlier = store.reviews(exercise_card(exercise))
    before = [h for h in store.hints(exercise) if not earlier or h.at > earlier[-1].at]
    store.add_attempt(exercise, verdict, source, now, seed=seed)
    if verdict != "pass":
        return None
    from autodrill.practice.schedule import Schedule

    if earlier:
        known = Schedule(earlier).state(exercise_card(exercise))
        if known is not None and known.due > now:
            return known.due
    stage = max((h.stage for h in before), default=0)
    rating = Rating.HARD if stage >= 2 else Rating.GOOD
    review = store.add_review(exercise_card(exercise), rating, now, {"hints": stage})
    return Schedule(earlier).add(review).due


def log_giving_up(store: Store, exercise: str, now: datetime) -> None:
    """Append that the solution was looked at before a pass: the card's review is Again."""
    store.add_review(exercise_card(exercise), Rating.AGAIN, now, {"gave_up": True})


def next_exercise(names: Sequence[str], known: Progress) -> str | None:
    """The exercise to do next: the one due longest, else the first in order that is not passed; None if all are."""
    due = sorted((known.due[n], n) for n in names if known.state(n) is State.DUE)
    if due:
        return due[0][1]
    return next((n for n in names if known.state(n) in (State.NEW, State.TRIED)), None)
