"""The difference between two attempts at an exercise, as plain lines."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from autodrill.render.plain import clean

if TYPE_CHECKING:
    from autodrill.practice.log_records import Attempt
    from autodrill.render.plain import Paint

__all__ = ["attempt_diff", "diff_lines"]

_COLOURS = {"-": "red", "+": "green", "@": "cyan"}


def attempt_diff(old: Attempt, new: Attempt) -> list[str]:
    """Return the lines of a unified diff without its two headers; no lines if the code is the same."""
    return list(unified_diff(old.source.splitlines(), new.source.splitlines(), lineterm=""))[2:]


def diff_lines(old: tuple[int, Attempt], new: tuple[int, Attempt], paint: Paint) -> list[str]:
    """Return what two attempts are and where their code differs.

    The code is the learner's: control characters are escaped, so that no terminal obeys them.

    Args:
        old: The number of an attempt, from 1, and the attempt.
        new: As `old`.
        paint: Colours text.
    """
    lines = [
        paint(f"{sign} attempt {number}  {attempt.at.astimezone():%Y-%m-%d %H:%M}  {_verdict(attempt)}", "bold")
        for sign, (number, attempt) in (("-", old), ("+", new))
    ]
    changes = attempt_diff(old[1], new[1])
    for line in changes or [f"attempts {old[0]} and {new[0]} have the same code"]:
        colour = _COLOURS.get(line[:1]) if changes else None
        text = clean(line.expandtabs(4))
        lines.append(paint(text, colour) if colour else text)
    return lines


def _verdict(attempt: Attempt) -> str:
    rule = attempt.detail.get("rule")
    return f"{attempt.verdict} ({clean(rule)})" if rule else attempt.verdict
