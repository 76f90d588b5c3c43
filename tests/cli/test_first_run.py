"""The first run: from one command to the first success."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import Difficulty, Kind
from autodrill.cli.first_run import FIRST_QUESTION
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, Terminal, environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.practice.log_records import Attempt, Review

pytestmark = pytest.mark.timeout(120)

PROGRAM = ADOPT + "from autodrill.__main__ import main; main()"
RIGHT = "def add_backward(self, other, out):\n    self.grad += out.grad\n    other.grad += out.grad\n"


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a short path, which the welcome shows on one line."""
    with TemporaryDirectory() as folder:
        yield Path(folder) / "home"


@pytest.fixture
def alone(home: Path) -> Iterator[Callable[..., Terminal]]:
    """Start `autodrill` without arguments on a terminal."""
    with ExitStack() as stack:

        def start(columns: int = 80, **changes: str) -> Terminal:
            env = environment(home, **changes)
            del env["COLUMNS"]
            return stack.enter_context(Terminal([sys.executable, "-c", PROGRAM], env, columns, 24))

        yield start


def log(home: Path) -> tuple[list[Review], list[Attempt]]:
    with Store.open(home / "history.db", now=datetime.now(UTC)) as store:
        return store.reviews(), store.attempts()


def test_first_run_leads_to_a_right_answer_in_two_keys(alone: Callable[..., Terminal], home: Path) -> None:
    term = alone()
    welcome = term.wait_for("lists every command").strip().splitlines()
    assert len(welcome) <= 10, "nine lines, if the path of the folder is short"
    assert max(map(len, welcome)) <= 80
    os.write(term.master, b"\r")
    screen = term.screen()
    assert FIRST_QUESTION in screen[0]
    letter = next(line for line in screen if "(out, in), like W" in line).split()[1]
    assert "✓ right" in "\n".join(term.screen(letter))
    os.write(term.master, b"\n")
    assert term.finish() == 0
    assert [review.card for review in log(home)[0]] == [f"q:{FIRST_QUESTION}"]
    again = alone()
    assert "practise autodiff" not in again.wait_for("q quit")
    os.write(again.master, b"q")
    assert again.finish() == 0


def test_first_run_leads_to_a_pass_in_two_keys(alone: Callable[..., Terminal], home: Path, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text(f'#!/bin/sh\nprintf %s {shlex.quote(RIGHT)} > "$1"\n', encoding="utf-8")
    editor.chmod(0o755)
    term = alone(EDITOR=str(editor))
    term.wait_for("lists every command")
    os.write(term.master, b"e")
    term.wait_for("not implemented yet")
    term.wait_for("q quit")
    os.write(term.master, b"e")
    term.wait_for("PASS  add_backward")
    os.write(term.master, b"q")
    assert term.finish() == 0
    assert [attempt.verdict for attempt in log(home)[1]] == ["pass"]


@pytest.mark.parametrize("key", [b"zq", b"\x04"])
def test_first_run_ends_without_a_history(alone: Callable[..., Terminal], home: Path, key: bytes) -> None:
    term = alone()
    term.wait_for("lists every command")
    os.write(term.master, key)
    assert term.finish() == 0
    assert term.modes == term.modes_before
    assert not home.exists()


@pytest.mark.parametrize(
    "changes", [{}, {"NO_COLOR": "1", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}]
)
def test_first_run_fits_60_columns(alone: Callable[..., Terminal], changes: dict[str, str], home: Path) -> None:
    term = alone(60, **changes)
    shown = term.wait_for("lists every command").splitlines()
    assert max(len(line) for line in shown if str(home) not in line) <= 60
    assert ("\x1b[" in term.seen) == (not changes)


def test_first_question_is_an_easy_choice() -> None:
    first = next(question for question in load_questions() if question.id == FIRST_QUESTION)
    assert (first.kind, first.difficulty) == (Kind.CHOICE, Difficulty.EASY)
