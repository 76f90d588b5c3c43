"""`autodrill due` and `autodrill limit`: what to practise today and on the next days, and at most how much."""

import os
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autodrill.cli.options import Format, OutputFormat, now, open_store
from autodrill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from autodrill.practice.agenda import DailyLimits
    from autodrill.practice.schedule import CardState

__all__ = ["due", "limit"]


def due(
    days: Annotated[int, typer.Option(min=0, help="Show this many days after today.")] = 7,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show what is due now and later.

    Questions and exercises have one schedule. The minutes include the time to read a card. `autodrill quiz` asks what
    is due now. `autodrill limit` sets how much that is at most.

    Examples:
      autodrill due
      autodrill due --days 30 --output-format json
    """
    from autodrill.cli.overview import Overview, history_if_any
    from autodrill.practice.agenda import heading_json

    with history_if_any() as store:
        overview = Overview(store)
        agenda = overview.agenda
        window = [agenda.now.date() + timedelta(days=ahead) for ahead in range(days + 1)]
        shown = [state for day in window for state in agenda.later.get(day, ())]
        headings = overview.headings(state.card for state in (*agenda.due, *agenda.above, *shown))
        step = overview.step
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        def listed(states: "Iterable[CardState]") -> list[dict[str, Any]]:
            return [
                {**heading_json(state.card, headings[state.card]), "due": state.due.isoformat()} for state in states
            ]

        later = [{"date": day.isoformat(), "cards": listed(agenda.later.get(day, ()))} for day in window]
        write_document(
            "due",
            cards=listed(agenda.due),
            above_limit=listed(agenda.above),
            later=later,
            limits=agenda.limits.as_json(),
        )
        return
    from autodrill.render.agenda_screen import agenda_lines
    from autodrill.render.plain import Paint, say, width_of

    paint = Paint.for_stream(sys.stdout, os.environ)
    for line in agenda_lines(agenda, headings, window, paint, width_of(sys.stdout, os.environ)):
        say(line)
    if step is not None:
        say(f"next: autodrill {' '.join(step.command)}", err=True)


def limit(
    reviews: Annotated[
        int | None, typer.Option(min=1, help="Ask at most this many due cards a day, questions and exercises together.")
    ] = None,
    new: Annotated[int | None, typer.Option(min=0, help="Begin at most this many new cards a day.")] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove both limits.")] = False,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show or set the most cards a day.

    Without a limit, `autodrill quiz` asks all that is due and then new questions. The limits also count for `due`,
    `next` and the first screen. A card above the limit waits, the longest overdue come first. `quiz --ids` and `watch`
    work as before.

    Examples:
      autodrill limit
      autodrill limit --reviews 40 --new 10
      autodrill limit --none
    """
    from autodrill.cli.overview import history_if_any
    from autodrill.practice.agenda import LIMITS, DailyLimits, daily_limits

    if none and (reviews is not None or new is not None):
        raise UsageError("`--none` removes both limits", hint="leave out `--reviews` and `--new`")
    if none or reviews is not None or new is not None:
        given = {name: value for name, value in (("reviews", reviews), ("new", new)) if value is not None}
        with open_store() as store:
            store.set(LIMITS, {} if none else {**(store.setting(LIMITS) or {}), **given}, now())
    with history_if_any() as store:
        limits = daily_limits(store, now().astimezone(), store.reviews()) if store else DailyLimits()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("limit", **limits.as_json())
        return
    from autodrill.render.plain import say

    for line in _limit_lines(limits):
        say(line)
    if limits.reviews is None and limits.new is None:
        say("to set one: autodrill limit --reviews 40 --new 10", err=True)


def _limit_lines(limits: "DailyLimits") -> list[str]:
    from autodrill.render.plain import counted

    lines = []
    for most, used, what, name in (
        (limits.reviews, limits.reviewed, "due card", "due cards"),
        (limits.new, limits.begun, "new card", "new cards"),
    ):
        allowed = f"no limit for {name}" if most is None else f"at most {counted(most, what)} a day"
        lines.append(f"{allowed}; {used} rated today")
    return lines
