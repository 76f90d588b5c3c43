"""Sessions on real pseudo-terminals of 24 lines: every key in the bar works and no other does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import ChoiceKey
from autodrill.cli.asking import judges_of
from tests.cli.screens import bar_keys

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.timeout(120)

LONG = ("ddp-unused-parameters", "attention-scale-gradient", "initial-loss-check", "closure-reference-cycle")
ASCII_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
LOOKS: dict[str, dict[str, str]] = {"colour": {}, "plain": {"NO_COLOR": "1"}, "ascii": ASCII_LOCALE}
FAST = {(60, "plain"), (80, "colour"), (140, "ascii")}
SCREENS = [
    pytest.param(
        columns, LOOKS[look], id=f"{columns}-{look}", marks=[] if (columns, look) in FAST else [pytest.mark.slow]
    )
    for columns in (60, 80, 140)
    for look in LOOKS
]
PARTS = {"m", "o", "f", "v", "p", "r"}


def card(screen: list[str]) -> list[str]:
    return [line for line in screen if line.startswith(("┃", "|"))]


@pytest.mark.parametrize(("columns", "changes"), SCREENS)
def test_quiz_every_key_in_the_bar_works(terminal: Callable[..., Any], columns: int, changes: dict[str, str]) -> None:
    term = terminal("--ids", ",".join(LONG), "--seed", "1", columns=columns, rows=24, shipped=True, **changes)
    screen = term.screen()
    for identity in LONG:
        assert identity in screen[0]
        assert "`z` does nothing here" in "".join(term.screen("z"))
        screen = term.screen(" ")
        first = card(screen)
        while "j" in bar_keys(screen):
            before, screen = screen, term.screen("j")
            assert card(screen) != card(before)
            assert card(screen)[0] == first[0]
        while "k" in bar_keys(screen):
            screen = term.screen("k")
        assert card(screen) == first
        for key in sorted(PARTS & bar_keys(screen).keys()):
            assert card(term.screen(key)) != first, key
            screen = term.screen(key)
            assert card(screen) == first, key
        for key in sorted(PARTS - bar_keys(screen).keys()):
            assert f"`{key}` does nothing here" in "".join(term.screen(key))
        if "a" in bar_keys(screen):
            assert card(term.screen("1")) != first
            assert card(term.screen("a")) != card(term.screen("a"))
            term.screen("\n")
        screen = term.screen("3") if identity != LONG[-1] else screen
    os.write(term.master, b"3")
    assert term.finish() == 0
    for identity in LONG:
        assert f"{identity}: Good, saved" in term.text


def test_quiz_redraws_a_card_after_a_resize(terminal: Callable[..., Any]) -> None:
    term = terminal("--ids", LONG[0], columns=80, rows=24, shipped=True)
    term.screen()
    narrow = term.screen(" ")
    term.resize(120, 60)
    wide = term.screen()
    assert max(map(len, card(wide))) > 80 >= max(map(len, card(narrow)))
    assert len(card(wide)) > len(card(narrow))


def test_quiz_keeps_the_place_while_a_part_is_open(terminal: Callable[..., Any]) -> None:
    term = terminal("--ids", LONG[0], columns=80, rows=24, shipped=True)
    term.screen()
    term.screen(" ")
    second = card(term.screen("j"))
    assert card(term.screen("m")) != second
    assert card(term.screen("m")) == second


def test_quiz_pages_with_arrow_and_page_keys(terminal: Callable[..., Any]) -> None:
    term = terminal("--ids", LONG[0], columns=80, rows=24, shipped=True)
    term.screen()
    first = card(term.screen(" "))
    second = card(term.screen("j"))
    assert second != first
    assert card(term.screen("k")) == first
    for on, back in (("\x1b[B", "\x1b[A"), ("\x1bOB", "\x1bOA"), ("\x1b[6~", "\x1b[5~"), (" ", "k")):
        assert card(term.screen(on)) == second
        assert card(term.screen(back)) == first


def test_quiz_leaves_what_was_on_the_terminal(terminal: Callable[..., Any]) -> None:
    term = terminal("--limit", "1", rows=24)
    term.screen()
    assert term.seen[: term.seen.index("\x1b[H")].count("\n") == 24


def test_quiz_parts_open_and_close(terminal: Callable[..., Any]) -> None:
    term = terminal("--ids", "choice-two", "--seed", "1", rows=24)
    term.screen()
    assert "Common wrong answers" not in "".join(term.screen(" "))
    assert "Common wrong answers" in "".join(term.screen("m"))
    assert "And then? → The end." in "".join(term.screen("f"))
    closed = "".join(term.screen("f"))
    assert "And then?" not in closed
    assert "The answer to choice-two." in closed


def judged() -> list[str]:
    """For each kind of question that is judged, the question with the longest answer."""
    found = [question for question in load_questions() if question.key is not None]
    longest = sorted(found, key=lambda question: len(question.answer))
    return list({question.kind: question.id for question in longest}.values())


@pytest.mark.parametrize("columns", [60, 80])
def test_quiz_shows_the_verdict_after_an_answer_on_24_lines(terminal: Callable[..., Any], columns: int) -> None:
    questions = {question.id: question for question in load_questions()}
    names = judged()
    assert len(names) == 5
    term = terminal("--ids", ",".join(names), "--seed", "1", columns=columns, rows=24, shipped=True)
    for name in names:
        question = questions[name]
        if isinstance(question.key, ChoiceKey):
            term.wait_for("? keys")
            screen = term.screen("a")
        else:
            term.wait_for("? keys")
            os.write(term.master, b"\n")
            for label, _ in judges_of(question):
                term.type("987", after=f"{label} = " if label else "> ")
            screen = term.screen()
        assert name in screen[0]
        assert any(word in line for line in screen for word in ("✗ wrong", "✓ right")), "\n".join(screen)
        os.write(term.master, b"1")
    assert term.finish() == 0
