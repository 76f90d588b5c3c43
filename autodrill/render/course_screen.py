"""The course on the terminal: a header for each track, a line for each exercise, and the totals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from autodrill.practice.log_records import State
from autodrill.render.plain import ASCII, fit, in_ascii, wrapped
from autodrill.render.quiz_summary import interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from autodrill.practice.course import CourseItem, CourseTrack
    from autodrill.render.plain import Paint, Symbols

__all__ = ["CourseRow", "course_lines", "course_rows", "legend", "totals"]

_LATER = "later"
_SIGNS = {State.PASSED: "✓+", State.DUE: "!!", State.TRIED: "~~", State.NEW: "·.", _LATER: "◦o"}
"""The sign of each state, and its ASCII spelling."""
_COLOURS = {State.PASSED: "green", State.DUE: "amber", State.TRIED: "red", State.NEW: "", _LATER: "dim"}
_WORDS = {State.PASSED: "passed", State.DUE: "due again", State.TRIED: "tried", State.NEW: "new", _LATER: "later"}
_LEAST_TITLE = 16
_NOTE = len("due in 3.5 mo")


class CourseRow(NamedTuple):
    """A line of the course, and the id of the exercise that it is about; empty for a header."""

    line: str
    exercise: str = ""


def course_lines(
    tracks: Sequence[CourseTrack],
    shown: frozenset[str],
    upcoming: str | None,
    now: datetime,
    paint: Paint,
    symbols: Symbols,
    width: int,
) -> list[str]:
    """Return the lines that list the course, with its totals and the meaning of its signs.

    Args:
        tracks: The tracks in order, with all of their exercises.
        shown: The ids of the exercises to list. A track without one is left out.
        upcoming: The id of the next exercise.
        now: The time, to say when an exercise comes back.
        paint: Colours text.
        symbols: The signs that the terminal can show.
        width: The columns to fill at most.
    """
    rows = course_rows(tracks, shown, upcoming, now, paint, symbols, width)
    if not rows:
        return ["no exercise matches"]
    return [*(row.line for row in rows), "", *totals(tracks, symbols, width), *legend(paint, symbols, width)]


def course_rows(
    tracks: Sequence[CourseTrack],
    shown: frozenset[str],
    upcoming: str | None,
    now: datetime,
    paint: Paint,
    symbols: Symbols,
    width: int,
) -> list[CourseRow]:
    """Return the headers of the tracks and the lines of the exercises. The arguments are those of `course_lines`."""
    rows: list[CourseRow] = []
    chosen = [(track, [item for item in track.items if item.exercise.id in shown]) for track in tracks]
    margin = max((len(track.track.name) for track, items in chosen if items), default=0) + 2
    for track, items in chosen:
        if items:
            rows += [CourseRow(line) for line in [""] * bool(rows) + _header(track, margin, paint, width)]
            longest = max(len(item.exercise.id) for item in items)
            for item in items:
                name = item.exercise.id
                rows.append(CourseRow(_row(item, longest, name == upcoming, now, paint, symbols, width), name))
    return rows


def legend(paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the meaning of the signs."""
    words = [f"{_sign(state, symbols)} {word}" for state, word in _WORDS.items()]
    return [paint(line, "dim") for line in wrapped("   ".join(words), width).splitlines()]


def totals(tracks: Sequence[CourseTrack], symbols: Symbols, width: int) -> list[str]:
    """Return what is passed, due and left of the whole course; in one line if it fits."""
    items = [item for track in tracks for item in track.items]
    passed, due = sum(item.passed for item in items), sum(item.state is State.DUE for item in items)
    hours, minutes = divmod(sum(track.minutes_left for track in tracks), 60)
    left = " ".join([f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes or not hours))
    counts = [f"{passed} of {len(items)} passed", f"{due} due", f"{left} left"]
    return wrapped(f" {symbols.dot} ".join(counts), width).splitlines()


def _header(track: CourseTrack, margin: int, paint: Paint, width: int) -> list[str]:
    """Return the lines above the exercises of a track: its name, title and count, then what one can do after it."""
    about = track.track
    count = f"{track.passed} of {len(track.items)} passed"
    title = fit(about.title, width - margin - len(count) - 2)
    gap = " " * (width - margin - len(title) - len(count))
    first = paint(f"{about.name:<{margin}}{title}", "bold") + gap + count
    goal = wrapped(about.goal, width - margin).splitlines()
    return [first, *(" " * margin + paint(line, "dim") for line in goal)]


def _row(
    item: CourseItem, longest: int, is_next: bool, now: datetime, paint: Paint, symbols: Symbols, width: int
) -> str:
    """Return the line of an exercise: sign, name, minutes, then as much of the title and the note as fits."""
    exercise, state = item.exercise, _LATER if item.after else item.state
    if item.state is State.TRIED:
        state = State.TRIED
    start = f"{exercise.id:<{longest}}  {exercise.minutes:>3} min  "
    if len(start) + 4 > width:
        start = f"{exercise.id}  "
    room = max(width - len(start) - 4, 0)
    note = _note(item, now, is_next=is_next)
    if len(note) > room:
        note = _LATER if item.after and len(_LATER) <= room else ""
    at = min(room - len(note), room - _NOTE)
    title = in_ascii(exercise.title) if symbols is ASCII else exercise.title
    title, at = (fit(title, at - 2), at) if at - 2 >= _LEAST_TITLE else ("", 0)
    colour = _COLOURS[state]
    sign = _sign(state, symbols)
    told = paint(note, "cyan", "bold") if is_next else paint(note, "dim" if state in (_LATER, State.PASSED) else colour)
    return "".join(
        [
            "  ",
            paint(sign, colour) if colour else sign,
            " " * (len(exercise.id) + 4 <= width),
            paint(start, "bold") if is_next else start,
            title,
            " " * (at - len(title)),
            told,
        ]
    ).rstrip()


def _note(item: CourseItem, now: datetime, *, is_next: bool) -> str:
    """Return what to know about an exercise now: whether it is next or due, or what comes before it."""
    if item.state is State.DUE:
        return "due, next" if is_next else "due"
    if is_next:
        return "next"
    if item.state is State.PASSED:
        return f"due in {interval(item.due - now, brief=True)}" if item.due and item.due > now else "passed"
    if item.state is State.TRIED:
        return "tried"
    return f"after {item.after[0]}" if item.after else ""


def _sign(state: str, symbols: Symbols) -> str:
    return _SIGNS[state][symbols is ASCII]
