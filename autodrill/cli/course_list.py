"""The course as a list to choose from: what `autodrill list` prints, with a mark that moves over the exercises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.render.course_screen import course_rows, legend, totals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from autodrill.practice.course import CourseTrack
    from autodrill.render.plain import Paint, Symbols

__all__ = ["CourseList"]

_WIDEST = 100


class CourseList:
    """The course with one exercise marked.

    Args:
        course: The tracks in order.
        upcoming: The id of the next exercise, if there is one.
        marked: The id of the exercise to mark first.
        now: The time, to say when an exercise comes back.
    """

    def __init__(self, course: Sequence[CourseTrack], upcoming: str | None, marked: str, now: datetime) -> None:
        self._course = course
        self._upcoming = upcoming
        self._now = now
        self._names = [item.exercise.id for track in course for item in track.items]
        self._at = self._names.index(marked)

    @property
    def marked(self) -> str:
        """The id of the marked exercise."""
        return self._names[self._at]

    def move(self, by: int) -> None:
        """Move the mark by a number of exercises, not past either end."""
        self._at = min(max(self._at + by, 0), len(self._names) - 1)

    def lines(self, room: int, paint: Paint, symbols: Symbols, width: int) -> list[str]:
        """Return `room` lines at most: the rows around the marked exercise, then the totals and the signs."""
        width = min(width, _WIDEST) - 2
        below = ["", *(f"  {line}" for line in (*totals(self._course, symbols, width), *legend(paint, symbols, width)))]
        room = max(room - len(below), 1)
        rows = course_rows(self._course, frozenset(self._names), self._upcoming, self._now, paint, symbols, width)
        at = next(place for place, row in enumerate(rows) if row.exercise == self.marked)
        first = min(max(at - room // 2, 0), max(len(rows) - room, 0))
        marks = {at: paint(">", "bold") + " "}
        shown = [marks.get(place, "  ") + rows[place].line for place in range(len(rows))[first : first + room]]
        return [*shown, *below]
