"""The list of `watch`: the course around the marked exercise."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from autodrill.cli.course_list import CourseList
from autodrill.drills.library import Library
from autodrill.drills.tracks import load_tracks
from autodrill.practice.course import course_of
from autodrill.practice.log_records import State
from autodrill.practice.progress import Progress
from autodrill.render.course_screen import course_lines
from autodrill.render.plain import UNICODE, Paint

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAIN = Paint(on=False)
LIBRARY = Library.open(environ={})
EVERY = [heading.id for heading in LIBRARY.headings()]
COURSE = course_of(LIBRARY.headings(), load_tracks(LIBRARY.roots), Progress({EVERY[0]: State.PASSED}, {EVERY[0]: NOW}))


def listed(marked: str = EVERY[0]) -> CourseList:
    return CourseList(COURSE, EVERY[1], marked, NOW)


@pytest.mark.parametrize("width", [60, 80, 140])
def test_course_list_fits_and_always_shows_the_mark(width: int) -> None:
    chosen = listed()
    met = []
    for _ in EVERY:
        lines = chosen.lines(19, PLAIN, UNICODE, width)
        assert len(lines) == 19
        assert max(map(len, lines)) <= width
        (marked,) = [line for line in lines if line.startswith("> ")]
        assert chosen.marked in marked.split()
        met.append(chosen.marked)
        chosen.move(1)
    assert sorted(met) == sorted(EVERY)


def test_course_list_has_the_lines_of_the_list_command() -> None:
    shown = course_lines(COURSE, frozenset(EVERY), EVERY[1], NOW, PLAIN, UNICODE, 78)
    lines = listed().lines(len(shown), PLAIN, UNICODE, 80)
    assert [line[2:] for line in lines] == shown


def test_mark_stops_at_both_ends() -> None:
    chosen = listed()
    chosen.move(-10)
    assert chosen.marked == COURSE[0].items[0].exercise.id
    chosen.move(10_000)
    assert chosen.marked == COURSE[-1].items[-1].exercise.id
