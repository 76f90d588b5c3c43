"""The frame of `watch`: the verdict on the last save, the panels that replace it, and the key bar."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.grading.report import FATAL, Verdict
from autodrill.render.plain import clean, fit, folded
from autodrill.render.report_screen import headline, report_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.grading.report import Report
    from autodrill.render.plain import Paint, Symbols

__all__ = ["Page", "bar_lines", "broken", "columns_of", "page_of", "verdict_lines", "verdict_summary"]

_ESCAPE = re.compile(r"(\x1b\[[0-9;]*m)")
_PRINTED = 5
_SHORTEST_TITLE = 30
"""Columns of a title that take precedence over the time of the last save."""


@dataclass(frozen=True, slots=True)
class Page:
    """A frame to show.

    Attributes:
        lines: Its lines, as many as the terminal has at most.
        number: The page of the body that it shows, from 0.
        pages: How many pages the body has.
        pinned: The row of the first pinned line, from 0.
    """

    lines: list[str]
    number: int
    pages: int
    pinned: int = 0


def page_of(
    title: str,
    status: str,
    body: Sequence[str],
    bar: Sequence[tuple[str, str]],
    *,
    notice: str,
    paint: Paint,
    size: tuple[int, int],
    page: int,
    pinned: Sequence[str] = (),
) -> Page:
    """Lay out a frame: the title, a page of the body, pinned lines, a notice, and the key bar in the last lines.

    Args:
        title: What the frame is about; cut at its start if it does not fit.
        status: Stands at the right of the title.
        body: The lines, with colour codes. A line that does not fit is broken.
        bar: The keys, each with its word.
        notice: What happened last; may be empty.
        paint: Colours text.
        size: The columns and lines of the terminal.
        page: The page of the body to show; the last one if there are fewer.
        pinned: Lines that stay below every page of the body; none is wider than the terminal.
    """
    width, height = size
    head = [_header(title, status, paint, width), ""]
    foot = [*([""] if height >= 12 else []), *bar_lines(bar, paint, width)]
    if notice:
        foot[:0] = ["", *(paint(part, "amber") for part in _words(notice, width))]
    foot[:0] = pinned
    lines = [part for line in body for piece in folded(line, width) for part in broken(piece, width)]
    room = max(height - len(head) - len(foot), 1)
    pages = max(-(-len(lines) // room), 1)
    number = min(page, pages - 1)
    shown = lines[number * room : (number + 1) * room]
    shown += [""] * (room - len(shown))
    return Page([*head, *shown, *foot][:height], number, pages, len(head) + len(shown))


def _header(title: str, status: str, paint: Paint, width: int) -> str:
    title = clean(title)
    if width - len(status) - 2 < min(len(title), _SHORTEST_TITLE):
        status = ""
    room = width - (len(status) + 2 if status else 0)
    if len(title) > room:
        title = "..." + title[3 - room :]
    gap = max(min(width, 100) - len(title) - len(status), 2) if status else 0
    return paint(title, "bold") + " " * gap + paint(status, "dim")


def bar_lines(bar: Sequence[tuple[str, str]], paint: Paint, width: int) -> list[str]:
    """Return the keys that work, each with what it does, in as many lines as they need."""
    rows: list[str] = [""]
    used = 0
    for shown, brief in bar:
        length = 2 + len(shown) + 1 + len(brief)
        if used and used + length > width:
            rows.append("")
            used = 0
        rows[-1] += f"  {paint(shown, 'bold')} {paint(brief, 'dim')}"
        used += length
    return rows


def _words(text: str, width: int, first: str = "  ") -> list[str]:
    import textwrap

    return textwrap.wrap(clean(text), width, initial_indent=first, subsequent_indent="  ") or [""]


def verdict_lines(
    report: Report,
    earlier: Report | None,
    praise: str,
    paint: Paint,
    symbols: Symbols,
    *,
    width: int,
    file_option: str = "",
    pack_options: str = "",
) -> list[str]:
    """Return the body for a verdict: the report, what changed since the last save, and what the code printed.

    Args:
        report: The verdict on the last save.
        earlier: The verdict on the save before it, or None.
        praise: A line about a win; may be empty.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        width: The columns of the terminal.
        file_option: As in `report_lines`.
        pack_options: As in `report_lines`.
    """
    if report.failure is not None and report.failure.kind is FaultKind.NOT_IMPLEMENTED:
        head = f"{symbols.no} FAIL  {report.exercise}: {report.failure.summary}"
        lines = [paint(line, "red", "bold") for line in _words(head, width, first="")]
        return [*lines, "", *_words(f"Edit {report.path} and save it. The verdict appears here.", width)]
    options = {"file_option": file_option, "pack_options": pack_options}
    lines = report_lines(report, paint, symbols, **options, width=width, path=False)
    if praise:
        lines[1:1] = [paint(line, "green") for line in _words(praise, width)]
    if (change := _change(report, earlier)) is not None:
        lines += ["", *(paint(line, "bold") for line in _words(change, width))]
    if report.output:
        printed = report.output.splitlines()
        count = f"{len(printed)} line{'s' if len(printed) != 1 else ''}"
        lines += ["", paint(f"  your code printed {count}:", "dim")]
        lines += [paint(fit(f"    {clean(text)}", width), "dim") for text in printed[:_PRINTED]]
    return lines


def _change(report: Report, earlier: Report | None) -> str | None:
    """Return how many cases are right, compared with the save before, or None if the cases were not all put."""
    if not _all_put(report):
        return None
    right = f"{report.passed} of {report.cases} cases right"
    if earlier is None or not _all_put(earlier) or earlier.cases != report.cases or earlier.passed == report.passed:
        return right
    more = report.passed - earlier.passed
    return f"{right}; {abs(more)} {'more' if more > 0 else 'fewer'} than at the last save"


def _all_put(report: Report) -> bool:
    failure = report.failure
    return failure is not None and failure.case is not None and failure.kind not in FATAL


def verdict_summary(report: Report, symbols: Symbols) -> str:
    """Return a verdict as one line, for a pipe and for the end of a session."""
    cases = f"{report.passed} of {report.cases} cases right"
    if report.verdict is Verdict.PASS:
        return f"{symbols.yes} PASS  {report.exercise}: {cases}"
    if report.verdict is Verdict.INTERNAL:
        return f"! INTERNAL  {report.exercise}: {clean(report.detail)}"
    word = str(report.verdict).upper()
    failure = report.failure
    assert failure is not None
    rule = f" ({failure.rule.key})" if failure.rule else ""
    return f"{symbols.no} {word}  {report.exercise}: {headline(failure)}{rule}"


def broken(line: str, width: int) -> list[str]:
    """Break a line of coloured text into lines of at most `width` columns. Colours go on in the next line."""
    if columns_of(line) <= width:
        return [line]
    rows, used, colour = [""], 0, ""
    for part in _ESCAPE.split(line):
        if _ESCAPE.fullmatch(part):
            colour = "" if part == "\x1b[0m" else part
            rows[-1] += part
            continue
        for letter in part:
            columns = _columns(letter)
            if used + columns > width:
                rows[-1] += "\x1b[0m" if colour else ""
                rows.append(colour)
                used = 0
            rows[-1] += letter
            used += columns
    return rows


def columns_of(line: str) -> int:
    """Return how many columns a line of coloured text takes."""
    return sum(_columns(letter) for letter in _ESCAPE.sub("", line))


def _columns(letter: str) -> int:
    if letter.isascii():
        return 1
    return 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
