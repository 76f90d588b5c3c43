"""`autodrill history`: what the learner typed on a card, and how it was rated, by date."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from autodrill.cli.completion import complete_ids
from autodrill.cli.options import Format, OutputFormat, Packs, now, open_store

if TYPE_CHECKING:
    from autodrill.practice.store import Store

__all__ = ["history"]


def history(
    identity: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="A question or an exercise. By default, all of them.",
            autocompletion=complete_ids,
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show how the code changed between the last two different attempts.")
    ] = False,
    between: Annotated[
        str | None, typer.Option(metavar="N,M", help="Show how the code changed from attempt N to attempt M.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show only this many of the last entries.")] = 20,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show what you typed and how it was rated.

    The entries are in the order of their dates. A card shows its id in its first line. `autodrill quiz --search TEXT`
    finds ids.

    Examples:
      autodrill history
      autodrill history why-topological-order
      autodrill history mul_backward
      autodrill history mul_backward --diff
      autodrill history mul_backward --between 1,4
    """
    from autodrill.bank.retired import retired_questions
    from autodrill.folders import history_file
    from autodrill.practice.history import entries

    if diff or between is not None:
        from autodrill.cli.attempt_changes import show_changes

        show_changes(identity, between, output_format)
        return
    old = retired_questions().get(identity) if identity else None
    if not history_file(os.environ).exists():
        found, known = [], set[str]()
    else:
        with open_store() as store:
            known = _cards(store)
            found = entries(store.reviews(), store.attempts(), identity)
    if identity is not None and identity not in known and not old:
        from autodrill.cli.overview import refuse_unknown

        refuse_unknown(identity, pack or ())
    found = found[-limit:]
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("history", id=identity, entries=[entry.as_json() for entry in found])
        return
    from autodrill.render.history_screen import lines
    from autodrill.render.plain import Paint, say, width_of

    paint = Paint.for_stream(sys.stdout, os.environ)
    if identity is not None:
        say(paint(identity, "bold") + (f"  {old.title}" if old else ""))
    for line in lines(found, paint, width_of(sys.stdout, os.environ), named=identity is None):
        say(line)
    if not found:
        card = f" of `{identity}`" if identity else ""
        say(f"there is no entry{card} yet")
    if old:
        say(f"note: {old.notice}", err=True)
    elif not found:
        say("next: autodrill quiz" + (f" --ids {identity}" if identity and "_" not in identity else ""), err=True)
    elif identity is not None and (due := _due(identity)) is not None:
        say(due, err=True)


def _cards(store: "Store") -> set[str]:
    """Return the ids in the log, some of which the bank may no longer have."""
    return {review.card.partition(":")[2] for review in store.reviews()} | {a.exercise for a in store.attempts()}


def _due(identity: str) -> str | None:
    """Say when the card is due, if it is scheduled."""
    from autodrill.practice.log_records import exercise_card, prediction_card, question_card
    from autodrill.practice.schedule import schedule_of

    with open_store() as store:
        for card in (question_card(identity), exercise_card(identity), prediction_card(identity)):
            if reviews := store.reviews(card):
                state = schedule_of(store, now(), reviews).state(card)
                assert state is not None
                when = "now" if state.due <= now() else f"on {state.due.astimezone():%Y-%m-%d}"
                return f"due {when}"
    return None
