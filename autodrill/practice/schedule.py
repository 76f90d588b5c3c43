"""The schedule of all cards, derived by replaying the log of reviews through FSRS-6; it is never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from autodrill.practice.log_records import Rating
from autodrill.practice.memory_model import DEFAULT_WEIGHTS, Memory, days_until, retrievability, reviewed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from autodrill.practice.log_records import Review
    from autodrill.practice.store import Store

__all__ = ["WEIGHTS", "CardState", "Schedule", "schedule_of"]

WEIGHTS = "fsrs_weights"
"""The setting with the weights that were fitted to the learner's own log."""

_CLOCK_ERROR = timedelta(days=1)
"""How far ahead of now a review may be. A smaller error of the clock does no harm."""


@dataclass(frozen=True, slots=True)
class CardState:
    """The FSRS state of a card.

    Attributes:
        card: The card's key.
        stability: Days until the probability of recall falls to 90 %.
        difficulty: FSRS difficulty, from 1 to 10.
        due: The time of the next review, in UTC.
        last_review: The time of the last review, in UTC.
        reviews: The number of reviews.
        lapses: The number of Again ratings after the first review.
    """

    card: str
    stability: float
    difficulty: float
    due: datetime
    last_review: datetime
    reviews: int
    lapses: int


class Schedule:
    """The state of every card with a review.

    There is no fuzz, so the same log always gives the same schedule. There are no learning steps, so every interval is
    a whole number of days.

    A review more than a day after `now` was logged by a clock that was ahead. It counts as made when the next review
    was made, or now, and its card is due. Otherwise the card would not return until the clock reads that time.

    Args:
        reviews: The log of reviews, in order.
        now: The time, if it is known.
        weights: The 21 weights of FSRS-6, if they were fitted to the learner.

    Attributes:
        predictions: For each review added, the probability of recall that FSRS predicted; None for a card's first.
    """

    def __init__(
        self,
        reviews: Iterable[Review] = (),
        now: datetime | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        self._weights = tuple(weights or DEFAULT_WEIGHTS)
        self._states: dict[str, CardState] = {}
        self.predictions: list[float | None] = []
        log = list(reviews)
        unknown: dict[str, datetime] = {}
        for review, at in zip(log, _times(log, now), strict=True):
            unknown.pop(review.card, None)
            if at == review.at:
                self.add(review)
            else:
                self.add(replace(review, at=at))
                unknown[review.card] = at
        for card, at in unknown.items():
            self._states[card] = replace(self._states[card], due=at)

    def add(self, review: Review) -> CardState:
        """Add the next review of the log and return the card's new state."""
        before = self._states.get(review.card)
        recall = None
        if before is not None:
            days = max((review.at - before.last_review).days, 0)
            recall = float(retrievability(before.stability, days, self._weights))
        self.predictions.append(recall)
        memory = self._memory(before, review.rating, review.at)
        lapsed = before is not None and review.rating is Rating.AGAIN
        state = CardState(
            card=review.card,
            stability=memory.stability,
            difficulty=memory.difficulty,
            due=review.at + timedelta(days=days_until(memory.stability, self._weights)),
            last_review=review.at,
            reviews=before.reviews + 1 if before else 1,
            lapses=(before.lapses if before else 0) + lapsed,
        )
        self._states[review.card] = state
        return state

    def state(self, card: str) -> CardState | None:
        """Return the state of a card, or None if it has no review."""
        return self._states.get(card)

    def states(self) -> tuple[CardState, ...]:
        """Return the state of every card, in the order of their first reviews."""
        return tuple(self._states.values())

    def due(self, now: datetime) -> tuple[CardState, ...]:
        """Return the cards due at `now`, the longest overdue first."""
        waiting = [state for state in self._states.values() if state.due <= now]
        return tuple(sorted(waiting, key=lambda state: (state.due, state.card)))

    def intervals(self, card: str, now: datetime) -> dict[Rating, timedelta]:
        """Return the interval until the next review for each possible rating now."""
        known = self._states.get(card)
        after = {rating: self._memory(known, rating, now) for rating in Rating}
        return {r: timedelta(days=days_until(memory.stability, self._weights)) for r, memory in after.items()}

    def _memory(self, before: CardState | None, rating: Rating, at: datetime) -> Memory:
        if before is None:
            return reviewed(None, rating, 0, self._weights)
        known = Memory(before.stability, before.difficulty)
        return reviewed(known, rating, (at - before.last_review).days, self._weights)


def schedule_of(store: Store, now: datetime, reviews: Iterable[Review] | None = None) -> Schedule:
    """Return the schedule of a log, with the weights fitted to it if there are any.

    Args:
        store: The history.
        now: The time.
        reviews: Some of its reviews; all by default.
    """
    return Schedule(store.reviews() if reviews is None else reviews, now, store.setting(WEIGHTS))


def _times(log: Sequence[Review], now: datetime | None) -> list[datetime]:
    """Return the time of each review. One that cannot be right is that of the next review, or now."""
    if now is None:
        return [review.at for review in log]
    latest, times = now, []
    for review in reversed(log):
        if review.at <= now + _CLOCK_ERROR:
            latest = min(latest, review.at)
            times.append(review.at)
        else:
            times.append(latest)
    return times[::-1]
