from __future__ import annotations

import os
import signal
import sys
import termios
import time
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import Terminal, environment
from tests.cli.test_watch_on_a_terminal import SHELL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.timeout(90)


def log(home: Path) -> list[tuple[str, Rating, Any]]:
    from datetime import UTC, datetime

    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        return [(review.card.removeprefix("q:"), review.rating, review.detail) for review in store.reviews()]


def cards(home: Path) -> list[str]:
    return [card for card, _, _ in log(home)]


def rate(term: Any, key: str) -> None:
    """Reveal a recall or any other card without answering, go on past the key points, and rate."""
    term.press(" ")
    term.press("\n")
    term.press(key)


def test_quiz_resumes_after_a_kill_at_the_next_card(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal()
    for key in "321":
        rate(term, key)
    term.wait_for("4/6")
    term.wait_for("numeric-three: Again, saved.")
    term.kill()
    assert log(home)[:1][0][:2] == ("recall-one", Rating.GOOD)
    assert cards(home) == ["recall-one", "choice-two", "numeric-three"]
    resumed = terminal()
    assert "predict-four" in resumed.wait_for("? keys")


def test_ticked_points_suggest_a_rating(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--limit", "1")
    term.press("\n")
    for key in "122a":
        term.press(key)
    assert "[✓] 3" in term.wait_for("? keys")
    os.write(term.master, b"\n")
    assert "3 of 3 needed: Good" in term.wait_for("? keys")
    os.write(term.master, b"\n")
    assert term.finish() == 0
    ((card, rating, detail),) = log(home)
    assert (card, rating, detail["ticked"]) == ("recall-one", Rating.GOOD, [0, 1, 2])
    assert "1 card rated" in term.text


def test_choice_is_judged_after_one_key(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--ids", "choice-two", "--seed", "1")
    shown = term.wait_for("? keys")
    letter = shown[: shown.index("right")].rstrip()[-1]
    os.write(term.master, letter.encode())
    assert "✓ right" in term.wait_for("1 of 1 right: Good")
    term.press("\n")
    assert term.finish() == 0
    assert log(home)[0][1:] == (Rating.GOOD, log(home)[0][2])
    assert log(home)[0][2]["right"] == [True]


def test_number_that_is_unreadable_is_asked_again(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--ids", "numeric-three")
    term.press("\n")
    term.type("0,33", after="a = ")
    term.type(".3333", after="a = ")
    term.type("3", after="b = ")
    screen = term.wait_for("1 of 2 right: Hard")
    assert "✓ right  a: 0.3333 is right" in screen
    assert "✗ wrong  b: 3 is too large by the factor 1.5; right: 2" in screen
    term.press("\n")
    assert term.finish() == 0
    assert log(home)[0][2]["right"] == [True, False]


def test_unanswered_label_counts_as_wrong(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--ids", "numeric-three")
    term.press("\n")
    term.type("1/3", after="a = ")
    term.type("", after="b = ")
    term.wait_for("1 of 2 right: Hard")


@pytest.mark.parametrize(
    ("identity", "prompt", "typed"),
    [("predict-four", "> ", "1   2"), ("bug-five", "line = ", "2"), ("derive-six", "f = ", "x + x")],
)
def test_typed_kinds_are_all_judged(terminal: Callable[..., Any], identity: str, prompt: str, typed: str) -> None:
    term = terminal("--ids", identity)
    term.press("\n")
    term.type(typed, after=prompt)
    term.wait_for("1 of 1 right: Good")


def test_free_text_is_saved_with_the_rating(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--limit", "1")
    term.press("t")
    term.type("they add, ∂L/∂x", after="┃ ")
    term.press("\n")
    term.press("4")
    assert term.finish() == 0
    assert log(home)[0][2]["answers"] == [{"label": "", "text": "they add, ∂L/∂x"}]


def test_undo_removes_the_rating_and_asks_the_card_again(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--limit", "2")
    rate(term, "1")
    assert "u undo" in term.wait_for("? keys")
    os.write(term.master, b"u")
    assert "1/2 · recall-one" in term.wait_for("Again undone; here is that card again")
    rate(term, "4")
    rate(term, "3")
    assert term.finish() == 0
    assert [(card, rating) for card, rating, _ in log(home)] == [
        ("recall-one", Rating.EASY),
        ("choice-two", Rating.GOOD),
    ]


def test_undo_is_offered_only_after_a_rating(terminal: Callable[..., Any]) -> None:
    term = terminal()
    assert "undo" not in term.wait_for("? keys")
    os.write(term.master, b"u")
    term.wait_for("`u` does nothing here")


def test_skipped_cards_stay_new(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--limit", "2")
    term.press("s")
    rate(term, "3")
    assert term.finish() == 0
    assert cards(home) == ["choice-two"]
    assert "1 skipped" in term.text


def test_arrow_keys_do_nothing(terminal: Callable[..., Any]) -> None:
    term = terminal("--limit", "1")
    # Up, F1 and Home end in A, P and H: none of them may be taken for a letter.
    term.press("\x1b[A\x1bOP\x1b[1~\x1b[H ")
    assert "[✓]" not in term.wait_for("? keys")
    assert "does nothing" not in term.text
    assert "The answer to recall-one." in term.text


def test_help_lists_the_current_keys(terminal: Callable[..., Any]) -> None:
    term = terminal()
    term.press("?")
    assert "show the answer" in term.wait_for("? keys")


@pytest.mark.parametrize("where", ["at a key", "at a line"])
def test_interrupt_reports_saved_ratings_and_restores_modes(
    terminal: Callable[..., Any], home: Path, where: str
) -> None:
    term = terminal()
    rate(term, "3")
    if where == "at a line":
        term.press("s")
        term.press("\n")
        term.wait_for("a = ")
        time.sleep(0.3)  # CPython's readline misses a signal between its prompt and its wait; no hand is that fast
        os.write(term.master, b"\x03")
    else:
        term.interrupt()
    assert term.finish() == 130
    assert "stopped; 1 rating is saved" in term.text
    assert term.modes == term.modes_before
    assert cards(home) == ["recall-one"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_signal_restores_the_terminal_modes(terminal: Callable[..., Any], number: signal.Signals) -> None:
    term = terminal()
    term.wait_for("? keys")
    assert term.end_by(number) == 128 + number
    assert term.modes == term.modes_before


def test_quiz_reads_single_keys_after_stop_and_continue(terminal: Callable[..., Any]) -> None:
    term = terminal()
    term.wait_for("? keys")
    term.process.send_signal(signal.SIGSTOP)
    termios.tcsetattr(term.slave, termios.TCSANOW, term.modes_before)  # as a shell does
    term.process.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    os.write(term.master, b" ")
    term.wait_for("The answer to recall-one.")


def test_ctrl_z_and_fg_draw_the_card_again(home: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHELL, str(tmp_path), "quiz", "--ids", "gradient-layout"]
    with Terminal(command, environment(home), 80, 24) as term:
        term.screen()
        os.write(term.master, b"\x1a")
        term.wait_for("in the shell")
        os.write(term.master, b"fg\n")
        assert "What shape has the gradient" in "".join(term.screen())
        assert "right  " in "\n".join(term.screen(" "))
        os.write(term.master, b"q")
        assert term.finish() == 0


def test_end_of_input_ends_the_session(terminal: Callable[..., Any]) -> None:
    term = terminal()
    term.press("\x04")
    assert term.finish() == 0
    assert "0 cards rated  6 left" in term.text


def test_dumb_terminal_gets_lines_without_escape_codes(terminal: Callable[..., Any], home: Path) -> None:
    term = terminal("--limit", "1", TERM="dumb")
    for line in ("\n", "13\n", "\n", "3\n"):
        term.press(line)
    assert term.finish() == 0
    assert "\x1b" not in term.seen
    assert log(home)[0][2]["ticked"] == [0, 2]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_quiz_lines_fit_the_terminal(terminal: Callable[..., Any], columns: int) -> None:
    term = terminal("--limit", "1", columns=columns)
    screens = term.wait_for("?")
    os.write(term.master, b"\n")
    screens += term.wait_for("Enter rate")
    os.write(term.master, b"\n")
    screens += term.wait_for("0 of 3 needed: Again")
    assert max(len(line) for line in screens.splitlines()) <= columns
