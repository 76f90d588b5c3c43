"""The history of a card as plain lines."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from autodrill.render.plain import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.practice.history import Entry
    from autodrill.render.plain import Paint

__all__ = ["lines"]

_COLOURS = {"Again": "red", "Hard": "amber", "Good": "green", "Easy": "cyan", "pass": "green"}


def lines(entries: Sequence[Entry], paint: Paint, width: int, *, named: bool) -> Iterator[str]:
    """Yield the lines of entries, each with its date in local time.

    Args:
        entries: The entries, in the order shown.
        paint: Colours the ratings.
        width: The widest line.
        named: Whether each entry shows its id.
    """
    for entry in entries:
        facts = [f"{entry.made[0]} of {entry.made[1]} needed points"] if entry.made else []
        facts += [f"attempt {entry.attempt}"] if entry.attempt else []
        facts += [f"{entry.seconds:.0f} s"] if entry.seconds is not None else []
        what = paint(f"{entry.what:<5}", _COLOURS.get(entry.what, "red"))
        name = f"  {entry.id}" if named else ""
        tail = "".join(f"  {fact}" for fact in facts)
        yield f"{entry.at.astimezone():%Y-%m-%d %H:%M}  {what}{name}{tail}".rstrip()
        for label, text, right in entry.typed:
            verdict = {True: " (right)", False: " (wrong)", None: ""}[right]
            shown = f"{label}: {text}" if label else text
            yield from _indented("you typed  ", clean(shown) + verdict, width)
        if entry.rule:
            yield from _indented("broken rule  ", clean(entry.rule), width)
        for point in entry.missed:
            yield from _indented("you missed  ", clean(point), width)


def _indented(label: str, text: str, width: int) -> Iterator[str]:
    first = f"  {label}"
    yield from textwrap.wrap(text, width, initial_indent=first, subsequent_indent=" " * len(first)) or [first]
