"""A learner's progress with the exercises: their states, the review after an attempt, and the next exercise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.practice.log_records import Rating, State, exercise_card

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from autodrill.practice.store import Store

__all__ = [
    "Progress",
    "hint_stage",
    "log_attempt",
    "log_giving_up",
    "may_see_solution",
    "next_exercise",
    "progress",
]


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of every attempted exercise, and the due date of every scheduled one."""

    states: dict[str, State]
    due: dict[str, datetime]

    def state(self, exercise: str) -> State:
        """Return the state of one exercise."""
        return self.states.get(exercise, State.NEW)


def progress(store: Store, now: datetime) -> Progress:
    """Return the state of every exercise, derived from the log."""
    states: dict[str, State] = {}
    for attempt in store.attempts():
        if attempt.verdict == "pass":
            states[attempt.exercise] = State.PASSED
        else:
            states.setdefault(attempt.exercise, State.TRIED)
    due: dict[str, datetime] = {}
    reviews = [r for r in store.reviews() if r.card.startswith("x:")]
    if reviews:
        from autodrill.practice.schedule import schedule_of

        schedule = schedule_of(store, now, reviews)
        for card in schedule.states():
            name = card.card.removeprefix("x:")
            due[name] = card.due
            if card.due <= now and states.get(name) is State.PASSED:
                states[name] = State.DUE
    return Progress(states, due)


def log_attempt(
    store: Store,
    exercise: str,
    verdict: str,
    source: str,
    seed: int,
    now: datetime,
    detail: Mapping[str, Any] | None = None,
) -> datetime | None:
    """Append an attempt. A pass of a new or due card also appends a review.

    The rating is Good, or Hard after hints beyond the first stage. A pass before the card is due adds no review,
    because it says little about memory.

    Returns:
        The next due date of a passed exercise, in UTC; None if the attempt is not a pass.

    Raises:
        StoreError: The log cannot be written.
    """
    earlier = store.reviews(exercise_card(exercise))
    before = [h for h in store.hints(exercise) if not earlier or h.at > earlier[-1].at]
    store.add_attempt(exercise, verdict, source, now, seed=seed, detail=detail)
    if verdict != "pass":
        return None
    from autodrill.practice.schedule import schedule_of

    if earlier:
        known = schedule_of(store, now, earlier).state(exercise_card(exercise))
        if known is not None and known.due > now:
            return known.due
    stage = max((h.stage for h in before), default=0)
    rating = Rating.HARD if stage >= 2 else Rating.GOOD
    review = store.add_review(exercise_card(exercise), rating, now, {"hints": stage})
    return schedule_of(store, now, earlier).add(review).due


def log_giving_up(store: Store, exercise: str, now: datetime) -> None:
    """Append the review Again, because the learner looked at the solution before passing."""
    store.add_review(exercise_card(exercise), Rating.AGAIN, now, {"gave_up": True})


def hint_stage(store: Store, exercise: str) -> int:
    """Return the last stage of the hints that the learner has seen since the last pass, 0 for none."""
    passed = [a.at for a in store.attempts(exercise) if a.verdict == "pass"]
    return max((h.stage for h in store.hints(exercise) if not passed or h.at > passed[-1]), default=0)


def may_see_solution(store: Store, exercise: str) -> bool:
    """Return whether the learner has passed an exercise, or has given it up."""
    gave_up = any(review.detail.get("gave_up") for review in store.reviews(exercise_card(exercise)))
    return gave_up or any(a.verdict == "pass" for a in store.attempts(exercise))


def next_exercise(names: Sequence[str], known: Progress) -> str | None:
    """Return the exercise that has been due longest, else the first not passed, else None."""
    due = sorted((known.due[n], n) for n in names if known.state(n) is State.DUE)
    if due:
        return due[0][1]
    return next((n for n in names if known.state(n) in (State.NEW, State.TRIED)), None)
