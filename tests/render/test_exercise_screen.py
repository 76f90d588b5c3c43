from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.practice.exercise_state import State
from autodrill.render.exercise_screen import listing
from autodrill.render.plain import Paint

if TYPE_CHECKING:
    from autodrill.drills.exercise import Heading

PLAIN = Paint(on=False)


@pytest.fixture(scope="module")
def headings() -> list[Heading]:
    return Library.open(environ={}).headings()


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_listing_fits_the_screen_with_one_line_an_exercise(headings: list[Heading], width: int) -> None:
    lines = listing(headings, {}, PLAIN, width)
    assert len(lines) == len(headings)
    assert max(map(len, lines)) <= width


def test_a_line_has_the_state_s_word_the_name_the_difficulty_and_the_minutes(headings: list[Heading]) -> None:
    first = replace(headings[0], minutes=3)
    for state in State:
        (line,) = listing([first], {first.id: state}, PLAIN, 80)
        assert line.split()[:5] == [state, first.id, first.difficulty, "3", "min"]


def test_a_title_with_brackets_is_shown_as_it_is(headings: list[Heading]) -> None:
    (line,) = listing([replace(headings[0], title="[bold]x[/bold]")], {}, PLAIN, 100)
    assert line.endswith("[bold]x[/bold]")


def test_colour_changes_no_word(headings: list[Heading]) -> None:
    import re

    coloured = listing(headings, {headings[0].id: State.DUE}, Paint(on=True), 80)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in coloured]
    assert plain == listing(headings, {headings[0].id: State.DUE}, PLAIN, 80)


def test_nothing_found_is_said() -> None:
    assert listing([], {}, PLAIN, 80) == ["no exercise matches"]
