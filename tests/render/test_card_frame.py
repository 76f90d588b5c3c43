from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from autodrill.render.card_frame import Frame, Shown, fitted


def part(name: str, count: int) -> Text:
    """A blank line and `count - 1` lines."""
    return Text("\n".join(["", *(f"{name}{number}" for number in range(1, count))]))


def fit(frame: Frame, rows: int, place: int = 0) -> tuple[str, Shown]:
    console = Console(file=io.StringIO(), width=80)
    shown = fitted(frame, console, rows, place)
    assert len(shown.lines) <= rows
    return " ".join("".join(segment.text for segment in line) or "-" for line in shown.lines), shown


HEAD = Text("head")


def test_frame_that_fits_has_one_page() -> None:
    lines, shown = fit(Frame([HEAD], [part("k", 2)], [part("t", 3)], [part("f", 2)]), 8)
    assert lines == "head - k1 - t1 t2 - f1"
    assert (shown.earlier, shown.later, shown.left) == (None, None, 0)


def test_text_pages_between_head_and_foot() -> None:
    frame = Frame([HEAD], (), [part("t", 9)], [part("f", 2)])
    first, shown = fit(frame, 8)
    assert first == "head - t1 t2 t3 t4 - f1"
    assert (shown.earlier, shown.later, shown.left) == (None, 4, 4)
    second, shown = fit(frame, 8, 4)
    assert second == "head - t5 t6 t7 t8 - f1"
    assert (shown.earlier, shown.later, shown.left) == (0, None, 0)


def test_short_last_page_does_not_move_the_foot() -> None:
    assert fit(Frame([HEAD], (), [part("t", 7)], [part("f", 2)]), 8, 4)[0] == "head - t5 t6 - - - f1"


@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (14, "head - k1 k2 - t1 t2 t3 t4 t5 t6 t7 - f1"),
        (12, "head - k1 k2 - t1 t2 t3 t4 t5 - f1"),
        (4, "head - k1 k2"),
    ],
)
def test_key_pages_first_and_then_the_foot(rows: int, first: str) -> None:
    assert fit(Frame([HEAD], [part("k", 3)], [part("t", 20)], [part("f", 2)]), rows)[0] == first


def test_opened_part_takes_the_place_of_the_text() -> None:
    frame = Frame([HEAD], (), [part("t", 4)], [part("f", 2)], part("o", 2))
    assert fit(frame, 20)[0] == "head - o1 - - - f1"


def test_page_leaves_no_line_of_a_paragraph_alone() -> None:
    text = Text("\na1\na2\na3\na4\na5\n\nb1\nb2")
    frame = Frame([HEAD], (), [text], [part("f", 2)])
    assert fit(frame, 8)[0] == "head - a1 a2 a3 - - f1"
    assert fit(frame, 8, 3)[0] == "head - a4 a5 - - - f1"


@pytest.mark.parametrize("rows", [-3, 0, 1, 2])
def test_tiny_screen_shows_the_header_and_pages(rows: int) -> None:
    console = Console(file=io.StringIO(), width=80)
    shown = fitted(Frame([HEAD], (), [part("t", 4)], [part("f", 2)]), console, rows, 0)
    assert (len(shown.lines), shown.left) == (2, 5)
    assert len(fitted(Frame([HEAD]), console, rows, 0).lines) == 1


def test_place_inside_a_page_shows_that_page() -> None:
    frame = Frame([HEAD], (), [part("t", 9)], [part("f", 2)])
    assert fit(frame, 8, 6)[0] == fit(frame, 8, 4)[0]
    assert fit(frame, 8, 99)[0] == fit(frame, 8, 4)[0]
