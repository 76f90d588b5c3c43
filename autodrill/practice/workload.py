"""What practice took and will take: reviews and attempts by day, the time to a pass, and the cards due soon."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime, tzinfo

    from autodrill.practice.log_records import Attempt

__all__ = ["PAUSE", "Forecast", "Passing", "by_day", "forecast", "passings"]

PAUSE = timedelta(minutes=30)
"""A longer time between two attempts counts as a break, not as work."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The number of cards due, each card counted once.

    Attributes:
        overdue: Due before today.
        today: Due today or before.
        tomorrow: Due tomorrow.
        week: Due today or in the 6 days after, or before.
        month: Due today or in the 29 days after, or before.
    """

    overdue: int
    today: int
    tomorrow: int
    week: int
    month: int

    def as_json(self) -> dict[str, int]:
        """Return the counts as JSON values."""
        names = ("overdue", "today", "tomorrow", "next_7_days", "next_30_days")
        return dict(zip(names, (self.overdue, self.today, self.tomorrow, self.week, self.month), strict=True))


@dataclass(frozen=True, slots=True)
class Passing:
    """The way to the first pass of an exercise.

    Attributes:
        exercise: Its id.
        tries: The number of attempts up to the first pass, or so far.
        seconds: The time from the first of them to the last, without breaks.
        passed: Whether it was passed.
    """

    exercise: str
    tries: int
    seconds: float
    passed: bool

    def as_json(self) -> dict[str, Any]:
        """Return the record as JSON values."""
        return {"exercise": self.exercise, "tries": self.tries, "seconds": round(self.seconds), "passed": self.passed}


def forecast(due: Iterable[datetime], now: datetime, zone: tzinfo | None = None) -> Forecast:
    """Count the cards due by day.

    Args:
        due: When each card is due.
        now: The time.
        zone: The time zone of the learner's days; by default that of the machine.
    """
    today = now.astimezone(zone).date()
    ahead = [(at.astimezone(zone).date() - today).days for at in due]
    return Forecast(
        overdue=sum(days < 0 for days in ahead),
        today=sum(days <= 0 for days in ahead),
        tomorrow=sum(days == 1 for days in ahead),
        week=sum(days < 7 for days in ahead),
        month=sum(days < 30 for days in ahead),
    )


def by_day(times: Iterable[datetime], now: datetime, zone: tzinfo | None = None) -> list[tuple[date, int]]:
    """Count the reviews and attempts of each day, from the first day with one to today.

    Args:
        times: When each was made.
        now: The time. What was logged later counts as made today.
        zone: As for `forecast`.
    """
    today = now.astimezone(zone).date()
    made = Counter(min(at.astimezone(zone).date(), today) for at in times)
    if not made:
        return []
    first = min(made)
    return [(day, made[day]) for day in (first + timedelta(days=n) for n in range((today - first).days + 1))]


def passings(attempts: Iterable[Attempt]) -> list[Passing]:
    """Return the way to the first pass of each exercise tried, the longest first.

    Args:
        attempts: The attempts, oldest first.
    """
    tries: dict[str, list[Attempt]] = {}
    done: set[str] = set()
    for attempt in attempts:
        if attempt.exercise not in done:
            tries.setdefault(attempt.exercise, []).append(attempt)
        if attempt.verdict == "pass":
            done.add(attempt.exercise)
    found = [Passing(name, len(made), _worked(made), name in done) for name, made in tries.items()]
    return sorted(found, key=lambda p: (-p.seconds, -p.tries, p.exercise))


def _worked(made: list[Attempt]) -> float:
    waits = (after.at - before.at for before, after in pairwise(made))
    return sum(wait.total_seconds() for wait in waits if timedelta() < wait <= PAUSE)
