from __future__ import annotations

import io
import sys

import pytest

from autodrill.render.console import stdout_console
from autodrill.render.plain import ASCII, UNICODE, ascii_only, in_ascii, symbols_for


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def written(monkeypatch: pytest.MonkeyPatch, encoding: str, text: str) -> str:
    out = stream(encoding)
    monkeypatch.setattr(sys, "stdout", out)
    stdout_console().print(text)
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode(encoding)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("encoding", "symbols"), [("utf-8", UNICODE), ("ascii", ASCII), ("latin-1", ASCII), ("cp1252", ASCII)]
)
def test_symbols_follow_the_encoding_of_the_stream(encoding: str, symbols: object) -> None:
    assert symbols_for(stream(encoding)) is symbols


def test_stream_without_encoding_takes_ascii() -> None:
    assert ascii_only(io.StringIO())


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("∂L/∂x̄ → 0", "dL/dxbar -> 0"),
        ("Σᵢ xᵢ² ≤ √n", "sum _i x_i^2 <= sqrt n"),
        ("ẋ = θᵀ·λ", "xdot = theta^T*lambda"),
        ("2²⁰ × ½ − 3", "2^20 x 1/2 - 3"),
        ("ℝⁿ", "R^n"),
        ("don’t “quote”…", 'don\'t "quote"...'),
        ("♞", "[black chess knight]"),
        ("plain", "plain"),
    ],
)
def test_mathematics_is_spelled_in_ascii(text: str, spelled: str) -> None:
    assert in_ascii(text) == spelled


def test_signs_outside_the_encoding_are_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written(monkeypatch, "ascii", "┃ ∂f → ✓") == "| df -> +\n"


def test_text_is_no_markup_and_no_emoji(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written(monkeypatch, "utf-8", "[a/b] [bold]x[/bold] :smile:") == "[a/b] [bold]x[/bold] :smile:\n"


def test_environment_forces_or_refuses_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", stream("utf-8"))
    assert not stdout_console().is_terminal
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert stdout_console().is_terminal
    monkeypatch.setenv("NO_COLOR", "1")
    assert stdout_console().no_color


def test_very_narrow_screen_gets_long_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    assert written(monkeypatch, "utf-8", "a readable sentence") == "a readable sentence\n"


def test_dumb_terminal_has_the_columns_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "61")
    assert stdout_console().width == 61
