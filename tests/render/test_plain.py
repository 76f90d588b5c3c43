from __future__ import annotations

import io

import pytest

from autodrill.render.plain import Paint, clean, fit, folded, say, width_of, wrapped


class Screen(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ∂L/∂x → é 漢", "plain ∂L/∂x → é 漢"),
        ("\x1b[2J", r"\x1b[2J"),
        ("a\r\n\tb\x07\x00", r"a\r\n\tb\x07\x00"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2066x\u2069 \u200b \ufeff", r"\u2066x\u2069 \u200b \ufeff"),
        ("\ud800", r"\ud800"),
        ("[red]x[/red]", "[red]x[/red]"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_cut_line_is_marked_and_fits() -> None:
    assert fit("abcdef", 6) == "abcdef"
    assert len(fit("abcdefg", 6)) <= 6
    assert fit("abcdefg", 6) != "abcdef"


@pytest.mark.parametrize(
    ("screen", "environment", "on"),
    [
        (Screen(), {}, True),
        (io.StringIO(), {}, False),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, True),
        (Screen(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (Screen(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_or_on_request(screen: io.StringIO, environment: dict[str, str], on: bool) -> None:
    assert Paint.for_stream(screen, environment).on is on


def test_paint_without_colour_is_the_text() -> None:
    assert Paint(on=False)("word", "red", "bold") == "word"
    assert Paint(on=True)("word", "red", "bold") == "\x1b[31;1mword\x1b[0m"
    assert Paint(on=True)("", "red") == ""


@pytest.mark.parametrize(
    ("columns", "width"), [("60", 60), ("20", 40), ("300", 100), ("0", 80), ("wide", 80), ("", 80), ("-5", 80)]
)
def test_width_is_between_40_and_100_columns(columns: str, width: int) -> None:
    assert width_of(io.StringIO(), {"COLUMNS": columns}) == width


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("fits", ["fits"]),
        ("one two three four", ["one two", "three four"]),
        ("  one two three", ["  one two", "  three"]),
        ("\x1b[2m  one two three\x1b[0m", ["\x1b[2m  one two\x1b[0m", "\x1b[2m  three\x1b[0m"]),
        ("see `a b c d e` now", ["see", "`a b c d e`", "now"]),
        ("next: autodrill open x, then more", ["next:", "autodrill open x,", "then more"]),
        ("\x1b[1mone\x1b[0m two \x1b[2mthree\x1b[0m", ["\x1b[1mone\x1b[0m two \x1b[2mthree\x1b[0m"]),
        ("unbreakable_word", ["unbreakable_word"]),
    ],
)
def test_folded_breaks_at_words_and_keeps_indent_and_style(line: str, lines: list[str]) -> None:
    assert folded(line, 11) == lines


def test_say_breaks_lines_at_words_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = "≤ " + "word " * 12
    for stream, most in ((Screen(), 40), (io.StringIO(), len(text) + 1)):
        monkeypatch.setattr("sys.stdout", stream)
        say(text)
        written = stream.getvalue().splitlines()
        assert max(map(len, written)) <= most
        assert (len(written) > 1) == stream.isatty()


def test_wrapped_breaks_at_spaces_outside_backticks() -> None:
    assert wrapped("type `autodrill list` or wait\n\n  indented lines keep their width", 14) == (
        "type\n`autodrill list`\nor wait\n\n  indented lines keep their width"
    )
