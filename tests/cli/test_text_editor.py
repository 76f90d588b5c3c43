"""The editor of a typed answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodrill.cli.keyboard import ENTER
from autodrill.cli.text_editor import TextEditor

KEYS = ["left", "right", "home", "end", "up", "down", "backspace", "delete", "ctrl-w", "ctrl-u", "ctrl-k", ENTER]


def pressed(editor: TextEditor, *strokes: str) -> str:
    """Press keys, and return the text with a bar at the cursor."""
    for stroke in strokes:
        editor.press(stroke)
    return f"{editor.text[: editor.at]}|{editor.text[editor.at :]}"


@pytest.mark.parametrize(
    ("strokes", "shown"),
    [
        (("!",), "two words\nmore!|"),
        (("home", "x"), "two words\nx|more"),
        (("up",), "two |words\nmore"),
        (("up", "end", "backspace"), "two word|\nmore"),
        (("up", "ctrl-w"), "|words\nmore"),
        (("up", "ctrl-k"), "two |\nmore"),
        (("ctrl-u",), "two words\n|"),
        (("ctrl-u", "backspace"), "two words|"),
        (("home", "left", "right", "delete"), "two words\n|ore"),
        ((ENTER, "a"), "two words\nmore\na|"),
    ],
)
def test_editor_does_what_a_key_says(strokes: tuple[str, ...], shown: str) -> None:
    assert pressed(TextEditor("two words\nmore", lines=True), *strokes) == shown


def test_editor_of_a_line_leaves_enter_to_its_caller() -> None:
    editor = TextEditor("a")
    assert not editor.press(ENTER)
    assert not editor.press("ctrl-d")
    assert not editor.press("")
    assert editor.text == "a"


def test_editor_rows_break_at_words() -> None:
    rows, cursor = TextEditor("hello wide world of words", lines=True).rows(11, 9)
    assert (rows, cursor) == (["hello wide ", "world of ", "words"], (2, 5))


def test_editor_rows_follow_the_cursor() -> None:
    editor = TextEditor("a\nb\nc\nd", lines=True)
    assert editor.rows(10, 2) == (["c", "d"], (1, 1))
    pressed(editor, "up", "up", "up")
    assert editor.rows(10, 2) == (["a", "b"], (0, 1))


def test_editor_rows_measure_wide_letters() -> None:
    assert TextEditor("漢字漢字").rows(5, 9) == (["漢字", "漢字"], (1, 4))


@given(
    st.lists(
        st.one_of(st.sampled_from(KEYS), st.characters(categories=["L", "Zs", "S"], max_codepoint=0x9FFF)), max_size=60
    ),
    st.integers(2, 20),
    st.integers(1, 5),
)
def test_editor_cursor_stays_in_its_rows(strokes: list[str], width: int, most: int) -> None:
    editor = TextEditor("one two\nthree", lines=True)
    for stroke in strokes:
        editor.press(stroke)
        rows, (row, column) = editor.rows(width, most)
        assert 0 <= editor.at <= len(editor.text)
        assert 0 <= row < len(rows) <= most
        assert 0 <= column < width
