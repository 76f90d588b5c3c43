"""What to practise and when: the cards due now and on the next days, the daily limits, and the days of practice."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from autodrill.practice.log_records import kind_of
from autodrill.practice.schedule import schedule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from autodrill.practice.log_records import Review
    from autodrill.practice.schedule import CardState
    from autodrill.practice.store import Store

__all__ = [
    "LIMITS",
    "Agenda",
    "CardHeading",
    "DailyLimits",
    "PredictionHeading",
    "agenda",
    "daily_limits",
    "heading_json",
    "streak",
]

LIMITS = "daily_limits"
"""The setting with the daily limits: `{"reviews": 40, "new": 10}`, or a part of it."""


class CardHeading(Protocol):
    """What a list shows of a question or an exercise."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def title(self) -> str:
        """A few words."""

    @property
    def minutes(self) -> float:
        """How long it takes."""


@dataclass(frozen=True, slots=True)
class PredictionHeading:
    """What a list shows of a prediction.

    Attributes:
        id: The exercise.
        title: The title of the exercise.
        minutes: How long it takes: a shape for each gradient and one value, computed by hand.
    """

    id: str
    title: str
    minutes: float = 2


def heading_json(card: str, heading: CardHeading) -> dict[str, Any]:
    """Return the heading of a card as JSON values."""
    return {"id": heading.id, "kind": kind_of(card), "title": heading.title, "minutes": heading.minutes}


@dataclass(frozen=True, slots=True)
class DailyLimits:
    """The most cards a day, and how many were rated today. A day ends at midnight of the local time.

    Attributes:
        reviews: The most cards that come back; None for no limit.
        new: The most cards rated for the first time; None for no limit.
        reviewed: How many cards that came back were rated today.
        begun: How many cards were rated for the first time today.
    """

    reviews: int | None = None
    new: int | None = None
    reviewed: int = 0
    begun: int = 0

    @property
    def reviews_left(self) -> int | None:
        """How many cards that come back may still be asked today; None for no limit."""
        return None if self.reviews is None else max(self.reviews - self.reviewed, 0)

    @property
    def new_left(self) -> int | None:
        """How many new cards may still be asked today; None for no limit."""
        return None if self.new is None else max(self.new - self.begun, 0)

    def as_json(self) -> dict[str, Any]:
        """Return the limits as JSON values."""
        return {"reviews": self.reviews, "new": self.new, "reviewed_today": self.reviewed, "begun_today": self.begun}


@dataclass(frozen=True, slots=True)
class Agenda:
    """The scheduled cards by day.

    Attributes:
        now: The time, in the learner's time zone.
        due: The cards due now, the longest overdue first, within the daily limit.
        above: The cards due now that the daily limit puts off.
        later: For each day from today on, the cards that become due on it, in order.
        limits: The daily limits.
    """

    now: datetime
    due: tuple[CardState, ...] = ()
    above: tuple[CardState, ...] = ()
    later: Mapping[date, tuple[CardState, ...]] = field(default_factory=dict)
    limits: DailyLimits = field(default_factory=DailyLimits)


def agenda(store: Store, now: datetime, known: Iterable[str], reviews: Sequence[Review] | None = None) -> Agenda:
    """Return the agenda, derived from the log.

    Args:
        store: The history.
        now: The time, in the learner's time zone.
        known: The cards that exist. The log may have others, whose question or exercise is gone.
        reviews: The reviews that are not undone, if they are read already.
    """
    reviews = store.reviews() if reviews is None else reviews
    there = set(known)
    states = sorted(schedule_of(store, now, reviews).states(), key=lambda state: (state.due, state.card))
    states = [state for state in states if state.card in there]
    due = [state for state in states if state.due <= now]
    later: dict[date, list[CardState]] = {}
    for state in states[len(due) :]:
        later.setdefault(state.due.astimezone(now.tzinfo).date(), []).append(state)
    limits = daily_limits(store, now, reviews)
    kept = len(due) if limits.reviews_left is None else limits.reviews_left
    days = {day: tuple(cards) for day, cards in later.items()}
    return Agenda(now, tuple(due[:kept]), tuple(due[kept:]), days, limits)


def daily_limits(store: Store, now: datetime, reviews: Iterable[Review]) -> DailyLimits:
    """Return the daily limits, and how much of them is used today."""
    setting = store.setting(LIMITS) or {}
    begun: set[str] = set()
    today = [0, 0]
    for review in reviews:
        if review.at.astimezone(now.tzinfo).date() == now.date():
            today[review.card in begun] += 1
        begun.add(review.card)
    return DailyLimits(setting.get("reviews"), setting.get("new"), reviewed=today[True], begun=today[False])


def streak(moments: Iterable[datetime], now: datetime) -> tuple[int, int]:
    """Return on how many days the learner practised, and on how many in a row up to today or yesterday.

    Args:
        moments: The times of all ratings and attempts.
        now: The time, in the learner's time zone.
    """
    days = {moment.astimezone(now.tzinfo).date() for moment in moments}
    at = now.date() if now.date() in days else now.date() - timedelta(days=1)
    row = 0
    while at in days:
        at -= timedelta(days=1)
        row += 1
    return len(days), row
