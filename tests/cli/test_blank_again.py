"""A due exercise comes back blank in `open` and `watch`; nothing of the old answer is lost."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from autodrill.folders import history_file
from autodrill.practice.progress import log_attempt
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Run

RIGHT = """
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""
LONG_AGO = datetime.now(UTC) - timedelta(days=30)


@pytest.fixture
def old(here: Path) -> Path:
    """A file with an answer that passed a month ago, so that its exercise is due."""
    path = here / "mul_backward.py"
    path.write_text(RIGHT, encoding="utf-8")
    os.utime(path, (LONG_AGO.timestamp(),) * 2)
    with Store.open(history_file(os.environ), now=LONG_AGO) as store:
        log_attempt(store, "mul_backward", "pass", RIGHT, 1, LONG_AGO)
    return path


def ratings() -> int:
    with Store.open(history_file(os.environ), now=LONG_AGO) as store:
        return len(store.reviews())


def kept(path: Path) -> list[str]:
    return [other.read_text(encoding="utf-8") for other in sorted(path.parent.glob("*.bak.py"))]


def test_open_sets_an_old_answer_aside_once(run: Run, old: Path) -> None:
    done = run("open", "mul_backward", "--here")
    assert "mul_backward is due, so its file is blank again; your old answer is now mul_backward.2" in done.stderr
    assert "NotImplementedError" in old.read_text(encoding="utf-8")
    assert kept(old) == [RIGHT]
    old.write_text("half an answer", encoding="utf-8")
    assert "the file exists and was not changed" in run("open", "mul_backward", "--here").stderr
    assert (old.read_text(encoding="utf-8"), kept(old)) == ("half an answer", [RIGHT])


def test_reset_undo_brings_an_old_answer_back(run: Run, old: Path) -> None:
    written = json.loads(run("open", "mul_backward", "--here", "--output-format", "json").stdout)
    assert written["kept"].startswith(str(old.parent / "mul_backward.2"))
    old.write_text("half an answer", encoding="utf-8")
    done = run("reset", "mul_backward", "--undo")
    assert done.stderr.startswith("your old file is back; what you wrote since then is now mul_backward.2")
    assert (old.read_text(encoding="utf-8"), kept(old)) == (RIGHT, ["half an answer"])


def test_reset_undo_without_a_kept_file_is_an_error(run: Run, here: Path) -> None:
    run("open", "mul_backward", "--here")
    done = run("reset", "mul_backward", "--undo")
    assert (done.returncode, "no file was set aside for `mul_backward.py`" in done.stderr) == (2, True)


def test_answer_saved_since_it_was_due_stays(run: Run, old: Path) -> None:
    os.utime(old)
    run("open", "mul_backward", "--here")
    assert (old.read_text(encoding="utf-8"), kept(old)) == (RIGHT, [])


def test_exercise_that_is_not_due_keeps_its_answer(run: Run, old: Path) -> None:
    with Store.open(history_file(os.environ), now=LONG_AGO) as store:
        log_attempt(store, "mul_backward", "pass", RIGHT, 1, datetime.now(UTC))
    run("open", "mul_backward", "--here")
    assert (old.read_text(encoding="utf-8"), kept(old)) == (RIGHT, [])


def test_check_does_not_rate_an_old_answer(run: Run, old: Path) -> None:
    done = run("check", "mul_backward")
    assert done.returncode == 0
    assert (
        "not rated: you saved the file before the exercise was due; to start blank: autodrill open mul_backward"
        in done.stderr
    )
    assert ratings() == 1
    os.utime(old)
    assert "rated Good, next review in" in run("check", "mul_backward").stderr
    assert ratings() == 2


def test_folder_that_cannot_be_written_loses_nothing(run: Run, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autodrill.cli.blank_again import blank_again
    from autodrill.drills.library import Library
    from autodrill.errors import FileError

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.rename", refuse)
    with pytest.raises(FileError, match="cannot be renamed"):
        blank_again(Library.open().find("mul_backward"), old)
    assert old.read_text(encoding="utf-8") == RIGHT


@pytest.fixture
def tried(here: Path) -> Callable[[str], None]:
    """Log an attempt with some code."""

    def log(source: str) -> None:
        with Store.open(history_file(os.environ), now=LONG_AGO) as store:
            log_attempt(store, "mul_backward", "fail", source, 1, LONG_AGO, {"rule": "assign"})

    return log


def test_history_diff_compares_the_last_two_codes(run: Run, tried: Callable[[str], None]) -> None:
    for source in ("a = 1\nb = 2\n", "a = 1\nb = 3\x1b[2J\n", "a = 1\nb = 3\x1b[2J\n"):
        tried(source)
    done = run("history", "mul_backward", "--diff", TZ="UTC")
    at = f"{LONG_AGO:%Y-%m-%d %H:%M}"
    assert done.stdout.splitlines() == [
        f"- attempt 1  {at}  fail (assign)",
        f"+ attempt 3  {at}  fail (assign)",
        "@@ -1,2 +1,2 @@",
        " a = 1",
        "-b = 2",
        "+b = 3\\x1b[2J",
    ]
    coloured = run("history", "mul_backward", "--diff", FORCE_COLOR="1").stdout
    assert "\x1b[31m-b = 2\x1b[0m" in coloured
    assert "\x1b[2J" not in coloured
    assert "attempt 3" in run("history", "mul_backward").stdout
    same = run("history", "mul_backward", "--between", "2,3").stdout
    assert same.splitlines()[-1] == "attempts 2 and 3 have the same code"
    document = json.loads(run("history", "mul_backward", "--between", "2,1", "--output-format", "json").stdout)
    assert [attempt["attempt"] for attempt in document["attempts"]] == [2, 1]
    assert document["diff"][-1] == "+b = 2"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--diff"], "`--diff` needs an exercise"),
        (["mul_backward", "--diff"], "all attempts at `mul_backward` have the same code"),
        (["mul_backward", "--between", "1"], "`1` is not a pair of attempts"),
        (["mul_backward", "--between", "1,7"], "there is no attempt 7\n\nhint: the attempts are numbered from 1 to 1"),
        (["add_backward", "--diff"], "there is no attempt at `add_backward` yet"),
        (["mul_bakward", "--diff"], "did you mean `mul_backward`"),
    ],
)
def test_history_diff_refuses_with_a_hint(run: Run, tried: Callable[[str], None], words: list[str], said: str) -> None:
    tried("a = 1\n")
    done = run("history", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
