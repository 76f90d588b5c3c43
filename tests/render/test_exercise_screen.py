from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.practice.log_records import State
from autodrill.render.exercise_screen import listing
from autodrill.render.plain import Paint

if TYPE_CHECKING:
    from autodrill.drills.exercise import Heading

PLAIN = Paint(on=False)


@pytest.fixture(scope="module")
def headings() -> list[Heading]:
    return Library.open(environ={}).headings()


@pytest.mark.parametrize("width", [60, 80, 100])
def test_listing_fits_with_one_line_for_each_exercise(headings: list[Heading], width: int) -> None:
    lines = listing(headings, {}, PLAIN, width)
    assert len(lines) == len(headings)
    assert max(map(len, lines)) <= width


def test_listing_shows_state_name_difficulty_and_minutes(headings: list[Heading]) -> None:
    first = replace(headings[0], minutes=3)
    for state in State:
        (line,) = listing([first], {first.id: state}, PLAIN, 80)
        assert line.split()[:5] == [state, first.id, first.difficulty, "3", "min"]


def test_title_with_brackets_is_shown_unchanged(headings: list[Heading]) -> None:
    (line,) = listing([replace(headings[0], title="[bold]x[/bold]")], {}, PLAIN, 100)
    assert line.endswith("[bold]x[/bold]")


def test_colour_changes_no_word(headings: list[Heading]) -> None:
    import re

    coloured = listing(headings, {headings[0].id: State.DUE}, Paint(on=True), 80)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in coloured]
    assert plain == listing(headings, {headings[0].id: State.DUE}, PLAIN, 80)


def test_empty_listing_says_so() -> None:
    assert listing([], {}, PLAIN, 80) == ["no exercise matches"]
