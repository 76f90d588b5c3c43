"""The first screen on a real pseudo-terminal: it waits for a key, and starts what the key says."""

from __future__ import annotations

import os
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating
from autodrill.practice.store import Store
from tests.cli.conftest import ADOPT, Terminal, environment

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = ADOPT + "from autodrill.__main__ import main; main()"
NOW = datetime.now(UTC)


@pytest.fixture
def practised(home: Path) -> Path:
    """A log on a path, with a question that is due."""
    with Store.open(home / "history.db", now=NOW) as store:
        store.add_review("q:computational-graph", Rating.GOOD, NOW - timedelta(days=4))
        store.choose_path("night-before", NOW)
    return home


def started(home: Path, columns: int = 80, **changes: str) -> Terminal:
    return Terminal([sys.executable, "-c", PROGRAM], environment(home, COLUMNS=str(columns), **changes), columns, 24)


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_first_screen_starts_the_next_thing(practised: Path, columns: int) -> None:
    with started(practised, columns) as term:
        shown = term.wait_for("q quit")
        assert max(map(len, shown.splitlines())) <= columns
        assert re.search(r"path +night-before  ", shown)
        gap = r"\n +" if columns == 60 else "   "
        assert re.search(rf"next +computational-graph{gap}question · [\d.]+ min · due for 2 days", shown)
        os.write(term.master, b"z\r")  # `z` does nothing
        assert "computational-graph" in term.wait_for("? keys")
        term.kill()


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x04", 0), ("\x03", 130)])
def test_first_screen_ends_by_key(practised: Path, key: str, code: int) -> None:
    with started(practised) as term:
        term.wait_for("q quit")
        os.write(term.master, key.encode())
        assert term.finish() == code
        assert term.modes == term.modes_before


def test_first_screen_is_ascii_and_plain_there(practised: Path) -> None:
    with started(practised, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", NO_COLOR="1") as term:
        term.wait_for("q quit")
        assert "night-before  ..............  1 of 37" in term.seen
        assert term.seen.isascii()
        assert "\x1b" not in term.seen
        os.write(term.master, b"q")
        assert term.finish() == 0


def test_first_screen_does_not_wait_on_a_dumb_terminal(practised: Path) -> None:
    with started(practised, TERM="dumb") as term:
        assert term.finish() == 0
        assert "next: autodrill quiz" in term.text
