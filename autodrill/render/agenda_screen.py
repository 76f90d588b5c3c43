"""What is due, as plain lines, and days and minutes in words."""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from autodrill.practice.log_records import CardKind, kind_of
from autodrill.render.plain import clean, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime

    from autodrill.practice.agenda import Agenda, CardHeading
    from autodrill.practice.schedule import CardState
    from autodrill.render.plain import Paint

__all__ = ["above_limit", "agenda_lines", "in_days", "in_hours", "overdue"]

_MOST = 12
"""Due cards that are listed one by one."""


def in_hours(minutes: float) -> str:
    """Return a time in words: `45 min`, `3 h 40 min`."""
    whole = ceil(minutes)
    hours, rest = divmod(whole, 60)
    return f"{rest} min" if not hours else f"{hours} h" + (f" {rest} min" if rest else "")


def overdue(due: datetime, now: datetime) -> str:
    """Return how long a card has been due: `due today`, `due since yesterday` or `due for 3 days`."""
    days = (now.date() - due.astimezone(now.tzinfo).date()).days
    return "due today" if days <= 0 else "due since yesterday" if days == 1 else f"due for {days} days"


def in_days(due: datetime, now: datetime) -> str:
    """Return when a card is due: `today`, `tomorrow` or `in 3 days`."""
    days = round((due - now).total_seconds() / 86400)
    return "today" if days <= 0 else "tomorrow" if days == 1 else f"in {days} days"


def above_limit(agenda: Agenda) -> str:
    """Say how many due cards the daily limit puts off; nothing if there are none."""
    if not agenda.above:
        return ""
    more = f"{len(agenda.above)} more {'is' if len(agenda.above) == 1 else 'are'} due"
    return f"{more}, above your limit of {counted(agenda.limits.reviews or 0, 'card')} a day"


def agenda_lines(
    agenda: Agenda, headings: Mapping[str, CardHeading], days: Sequence[date], paint: Paint, width: int
) -> list[str]:
    """Return what is due now, card by card, and a line for each of the next days with cards.

    Args:
        agenda: The agenda.
        headings: The headings of the cards by their keys.
        days: The days to show.
        paint: Colours text.
        width: The widest line.
    """
    lines = []
    with_cards = [(day, agenda.later[day]) for day in days if day in agenda.later]
    there = {kind_of(card.card) for cards in (agenda.due, *(cards for _, cards in with_cards)) for card in cards}
    kinds_there = [kind for kind in CardKind if kind in there]
    if 12 + 15 * len(kinds_there) + len("about 10 h 59 min") > width:  # no room for columns
        kinds_there = []
    if agenda.due:
        lines.append(paint(f"{'due now':<12}", "bold") + _sum(agenda.due, headings, kinds_there))
        listed = [(headings[state.card], state) for state in agenda.due[:_MOST]]
        longest = max(len(heading.id) for heading, _ in listed)
        kinds = max(len(kind_of(state.card)) for _, state in listed)
        whens = [overdue(state.due, agenda.now) for _, state in listed]
        # The order says it too, so a narrow terminal leaves it out rather than cut it.
        room = width - longest - kinds - 14 >= max(map(len, whens))
        for (heading, state), when in zip(listed, whens, strict=True):
            facts = f"{kind_of(state.card):<{kinds}}  {heading.minutes:>4g} min  {when if room else ''}"
            lines.append(f"  {clean(heading.id):<{longest}}  {facts}".rstrip())
        if len(agenda.due) > _MOST:
            lines.append(f"  and {len(agenda.due) - _MOST} more")
    else:
        lines.append("nothing is due now" if not agenda.above else "you have reached the limit of today")
    if agenda.above:
        lines.append(f"  {above_limit(agenda)}")
    return lines + [
        f"{_named(day, agenda.now.date()):<12}{_sum(cards, headings, kinds_there)}" for day, cards in with_cards
    ]


def _sum(cards: Sequence[CardState], headings: Mapping[str, CardHeading], kinds_there: Sequence[CardKind]) -> str:
    """Return how many cards of each kind there are, and how long they take. The kinds there have a column each."""
    minutes = sum(headings[card.card].minutes for card in cards)
    kinds = Counter(kind_of(card.card) for card in cards)
    columns = kinds_there or [kind for kind in CardKind if kind in kinds]
    parts = [counted(kinds[kind], kind) if kind in kinds else "" for kind in columns]
    return "".join(f"{part:<15}" for part in parts) + f"about {in_hours(minutes)}"


def _named(day: date, today: date) -> str:
    ahead = (day - today).days
    return {0: "later today", 1: "tomorrow"}.get(ahead) or f"{day:%a} {day.day:>2} {day:%b}"
