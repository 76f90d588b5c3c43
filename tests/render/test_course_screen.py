from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from autodrill.drills.tracks import load_tracks
from autodrill.practice.course import CourseTrack, course_of
from autodrill.practice.log_records import State
from autodrill.practice.progress import Progress
from autodrill.render.course_screen import course_lines
from autodrill.render.plain import ASCII, UNICODE, Paint
from tests.shipped import SHIPPED

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLAIN = Paint(on=False)
HEADINGS = SHIPPED.headings()
EVERY = frozenset(heading.id for heading in HEADINGS)
KNOWN = Progress(
    {"add_backward": State.PASSED, "mul_backward": State.DUE, "relu_backward": State.TRIED},
    {"add_backward": NOW + timedelta(days=3), "mul_backward": NOW},
)


def course(known: Progress = KNOWN) -> list[CourseTrack]:
    return course_of(HEADINGS, load_tracks(SHIPPED.roots), known)


def lines(shown: frozenset[str] = EVERY, width: int = 80, paint: Paint = PLAIN, upcoming: str = "") -> list[str]:
    return course_lines(course(), shown, upcoming or None, NOW, paint, UNICODE, width)


def row(name: str, found: list[str]) -> str:
    return next(line for line in found if line[3:].split()[:1] == [name] and line[:2] == "  ")


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_course_fits_with_a_row_for_each_exercise(width: int) -> None:
    found = lines(width=width, upcoming="tanh_backward")
    assert max(map(len, found)) <= width
    assert all(row(name, found) for name in EVERY)


def test_rows_say_when_an_exercise_returns_or_what_it_waits_for() -> None:
    found = lines(upcoming="tanh_backward")
    ends = {
        "add_backward": r"  ✓ add_backward +2 min  .* due in 3 d",
        "mul_backward": r"  ! mul_backward .* due",
        "relu_backward": r"  ~ relu_backward .* tried",
        "tanh_backward": r"  · tanh_backward .* next",
        "matmul_backward": r"  ◦ einsum_backward .* after matmul_backward",
    }
    for name, pattern in ends.items():
        assert re.fullmatch(pattern, row("einsum_backward" if name == "matmul_backward" else name, found)), name


def test_header_counts_the_track_and_says_its_goal() -> None:
    found = lines()
    assert re.fullmatch(r"scalar +Scalar values +2 of \d+ passed", found[0])
    assert found[1].strip() == "You can write the backward method of any scalar operation."


def test_filter_leaves_out_tracks_but_counts_them_all() -> None:
    found = lines(frozenset({"matmul_backward"}))
    assert len(found) == 6
    assert re.fullmatch(r"linalg  Linear algebra +0 of \d+ passed", found[0])
    assert found[-2].startswith(f"2 of {len(EVERY)} passed · 1 due · ")
    assert lines(frozenset()) == ["no exercise matches"]


def test_colour_adds_no_text_to_the_course() -> None:
    coloured = lines(paint=Paint(on=True), upcoming="tanh_backward")
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in coloured]
    assert [line.rstrip() for line in bare] == lines(upcoming="tanh_backward")
    assert coloured != bare


def test_course_signs_have_an_ascii_form() -> None:
    found = course_lines(course(), EVERY, None, NOW, PLAIN, ASCII, 80)
    assert row("add_backward", found).startswith("  + add_backward")
    assert found[-1] == "+ passed   ! due again   ~ tried   . new   o later"
