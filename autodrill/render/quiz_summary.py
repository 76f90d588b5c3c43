"""The summary of a quiz session, and intervals in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.practice.log_records import Rating

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from rich.console import RenderableType

    from autodrill.practice.schedule import Schedule

__all__ = ["RATING_STYLE", "interval", "next_due", "nothing_due", "summary"]

RATING_STYLE = {Rating.AGAIN: "red", Rating.HARD: "yellow", Rating.GOOD: "green", Rating.EASY: "cyan"}

_DAY, _MONTH, _YEAR = 24.0, 30.44 * 24, 365.25 * 24
# Word, abbreviation, length in hours, and the wait in hours at which the next unit takes over.
_UNITS = (
    ("hour", "h", 1.0, _DAY),
    ("day", "d", _DAY, 60 * _DAY),
    ("month", "mo", _MONTH, _YEAR),
    ("year", "y", _YEAR, float("inf")),
)


def summary(rated: Mapping[Rating, int], skipped: int, left: int, next_step: str) -> RenderableType:
    """Return the summary of a session: the ratings, the cards without one, and the next step."""
    from rich.console import Group
    from rich.text import Text

    counts = Text()
    total = sum(rated.values())
    counts.append(f"{total} card{'s' if total != 1 else ''} rated", style="bold")
    for rating in Rating:
        if rated.get(rating):
            counts.append(f"  {rated[rating]} {rating.word}", style=RATING_STYLE[rating])
    for number, word in ((skipped, "skipped"), (left, "left")):
        if number:
            counts.append(f"  {number} {word}", style="dim")
    return Group(counts, Text(next_step, style="dim"))


def nothing_due(schedule: Schedule, now: datetime, excused: int = 0) -> RenderableType:
    """Return the text of a session without cards. A placement found that `excused` questions can be skipped."""
    from rich.console import Group
    from rich.text import Text

    what = "cards that are not due yet" + (f" and the {excused} that your placement skipped" if excused else "")
    more = Text(f"autodrill quiz --ahead asks {what}", style="dim")
    return Group(
        Text("There is no card to ask, because none is due and none is new.", style="bold"),
        Text(next_due(schedule, now)),
        more,
    )


def next_due(schedule: Schedule, now: datetime) -> str:
    """Say how many cards are due now, or when the next one is due."""
    due = len(schedule.due(now))
    if due:
        return f"{due} card{'s are' if due != 1 else ' is'} due now: autodrill quiz"
    ahead = sorted(schedule.states(), key=lambda state: state.due)
    if not ahead:
        return "Nothing is scheduled yet."
    return f"Next due in {interval(ahead[0].due - now)}: {ahead[0].card.partition(':')[2]}"


def interval(wait: timedelta, *, brief: bool = False) -> str:
    """Return an interval in words.

    >>> from datetime import timedelta
    >>> [interval(timedelta(days=days)) for days in (1 / 8, 1, 45, 75, 550)]
    ['3 hours', '1 day', '45 days', '2.5 months', '1.5 years']
    >>> interval(timedelta(days=75), brief=True)
    '2.5 mo'
    """
    hours = max(wait.total_seconds(), 0.0) / 3600
    for word, short, length, until in _UNITS:
        number = f"{hours / length:.{0 if length <= _DAY else 1}f}".removesuffix(".0")
        if hours < until:
            return f"{number} {short}" if brief else f"{number} {word}" + ("" if number == "1" else "s")
    raise AssertionError("the last unit has no end")
