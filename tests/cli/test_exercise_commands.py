"""The learner's files and history: found from any folder, never overwritten, with a clear message on failure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.folders import history_file, practice_folder
from autodrill.practice.store import Store

if TYPE_CHECKING:
    from tests.conftest import Run

RIGHT = """
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""
WRONG = RIGHT.replace("+=", "=")


def practice() -> Path:
    return practice_folder(os.environ)


def states(run: Run) -> dict[str, str]:
    listed = json.loads(run("list", "--output-format", "json").stdout)["exercises"]
    return {e["id"]: e["state"] for e in listed}


def due_of(run: Run) -> str:
    done = run("check", "mul_backward")
    assert done.returncode == 0
    return next(line for line in done.stderr.splitlines() if "next review" in line)


def test_open_writes_to_the_practice_folder_that_check_finds(run: Run, tmp_path: Path) -> None:
    opened = run("open", "mul_ba")
    assert opened.stdout.strip() == str(practice() / "mul_backward.py")
    (practice() / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    assert run("check", "mul_backward", cwd=tmp_path).returncode == 0
    assert run("check", "mul_backward", cwd=Path(os.sep)).returncode == 0


def test_check_prefers_a_named_file_then_the_current_folder(run: Run, here: Path) -> None:
    run("open", "mul_backward")
    (here / "mul_backward.py").write_text(WRONG, encoding="utf-8")
    (here / "other.py").write_text(RIGHT, encoding="utf-8")
    assert "`assign`" in run("check", "mul_backward").stdout
    assert run("check", "mul_backward", "--file", "other.py").returncode == 0


def test_check_says_which_file_it_graded_and_which_is_newer(run: Run, here: Path) -> None:
    run("open", "mul_backward")
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    graded = run("check", "mul_backward")
    assert "graded mul_backward.py" in graded.stdout
    assert "later than" not in graded.stderr
    os.utime(here / "mul_backward.py", (0, 0))
    newer = run("check", "mul_backward")
    assert f"you saved {practice() / 'mul_backward.py'} later than the graded file" in " ".join(newer.stderr.split())


def test_check_reports_an_untouched_stub_as_not_implemented(run: Run) -> None:
    run("open", "mul_backward", "--here")
    done = run("check", "mul_backward")
    assert done.returncode == 1
    assert "not implemented yet" in done.stdout


def test_open_never_overwrites(run: Run, here: Path) -> None:
    path = here / "mul_backward.py"
    path.write_text("mine", encoding="utf-8")
    done = run("open", "mul_backward", "--here")
    assert path.read_text(encoding="utf-8") == "mine"
    assert "the file exists and was not changed" in done.stderr


def test_reset_restores_the_stub_and_keeps_every_version(run: Run, here: Path) -> None:
    path = here / "mul_backward.py"
    for text in ("first", "second"):
        path.write_text(text, encoding="utf-8")
        done = run("reset", "mul_backward", "--output-format", "json")
        assert Path(json.loads(done.stdout)["kept"]).read_text(encoding="utf-8") == text
    assert "raise NotImplementedError" in path.read_text(encoding="utf-8")
    assert len(list(here.glob("mul_backward.*.bak.py"))) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["open", "mul_backward"], "cannot be written: "),
        (["hint", "mul_backward"], "cannot be opened: "),
    ],
)
def test_unwritable_home_is_an_error_with_a_hint(run: Run, here: Path, words: list[str], said: str) -> None:
    (here / "file").write_text("", encoding="utf-8")  # root, too, cannot make a folder inside a file
    done = run(*words, AUTODRILL_HOME=str(here / "file" / "home"))
    assert done.returncode == 2
    assert said in done.stderr
    assert "`AUTODRILL_HOME`" in done.stderr


def test_check_gives_a_verdict_without_a_writable_history(run: Run, here: Path) -> None:
    (here / "file").write_text("", encoding="utf-8")
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    done = run("check", "mul_backward", AUTODRILL_HOME=str(here / "file" / "home"))
    assert done.returncode == 0
    assert "PASS" in done.stdout
    assert "attempt not saved: " in done.stderr


def test_damaged_history_is_set_aside_with_a_warning(run: Run) -> None:
    file = history_file(os.environ)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database" * 1000)
    done = run("hint", "mul_backward")
    assert done.returncode == 0
    assert f"warning: the history was damaged; it is kept as `{file}.corrupt-" in done.stderr


def test_check_saves_attempts_and_schedules_a_pass(run: Run, here: Path) -> None:
    path = here / "mul_backward.py"
    path.write_text(WRONG, encoding="utf-8")
    run("check", "mul_backward")
    assert states(run)["mul_backward"] == "tried"
    path.write_text(RIGHT, encoding="utf-8")
    assert due_of(run) == f"rated Good, {due_of(run)}"
    assert states(run)["mul_backward"] == "passed"
    assert states(run)["add_backward"] == "new"


def test_check_logs_the_rule_that_an_attempt_breaks(run: Run, here: Path) -> None:
    (here / "mul_backward.py").write_text(WRONG, encoding="utf-8")
    run("check", "mul_backward")
    with Store.open(history_file(os.environ), now=datetime.now(UTC)) as store:
        (attempt,) = store.attempts()
    assert (attempt.detail["fault"], attempt.detail["rule"]) == ("value", "assign")
    assert attempt.detail["because"]


def test_check_of_one_case_is_not_an_attempt(run: Run, here: Path) -> None:
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    assert run("check", "mul_backward", "--case", "0").returncode == 0
    assert not history_file(os.environ).exists()


def test_hint_advances_in_stages_and_shortens_the_interval(run: Run, here: Path) -> None:
    given = [json.loads(run("hint", "mul_backward", "--output-format", "json").stdout) for _ in range(4)]
    assert [h["stage"] for h in given] == [1, 2, 3, 3]
    assert len({h["hint"] for h in given}) == 3
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    with_hints = due_of(run)
    os.environ["AUTODRILL_HOME"] += "-of-one-who-took-none"
    assert days(with_hints) < days(due_of(run))


def days(line: str) -> int:
    word = line.partition("next review ")[2].partition(";")[0]
    return 0 if word == "today" else 1 if word == "tomorrow" else int(word.split()[1])


def test_solution_needs_a_pass(run: Run, here: Path) -> None:
    refused = run("solution", "mul_backward")
    assert (refused.returncode, refused.stdout) == (2, "")
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    run("check", "mul_backward")
    shown = run("solution", "mul_backward")
    assert shown.returncode == 0
    assert "self.grad += other.data * out.grad" in shown.stdout


def test_solution_give_up_brings_the_exercise_back_soon(run: Run, here: Path) -> None:
    assert "self.grad +=" in run("solution", "mul_backward", "--give-up").stdout
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    assert days(due_of(run)) <= 1


def test_next_names_the_first_exercise_not_passed(run: Run, here: Path) -> None:
    first = json.loads(run("next", "--output-format", "json").stdout)["next"]["id"]
    assert first == "add_backward"
    source = "def add_backward(self, other, out):\n    self.grad += out.grad\n    other.grad += out.grad\n"
    (here / "add_backward.py").write_text(source, encoding="utf-8")
    assert run("check", "add_backward").returncode == 0
    assert json.loads(run("next", "--output-format", "json").stdout)["next"]["id"] != first


def test_list_todo_omits_passed_exercises(run: Run, here: Path) -> None:
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    run("check", "mul_backward")
    lines = run("list", "--todo").stdout
    assert "mul_backward" not in lines.split()
    assert "add_backward" in lines.split()


def test_open_removes_a_stub_that_it_cannot_write(here: Path) -> None:
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "autodrill", "open", "mul_backward", "--here", "--no-editor"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),  # stands for a full disk
    )
    assert done.returncode == 2
    assert "error: `mul_backward.py` cannot be written: File too large" in done.stderr
    assert not (here / "mul_backward.py").exists()


def test_solution_after_a_pass_is_a_debrief(run: Run, here: Path) -> None:
    source = "def mul_broadcast_backward(g, a, b):\n    {}\n    return fit(g * b, a), fit(g * a, b)\n"
    helper = "def fit(x, like):\n        rows = tuple(range(x.ndim - like.ndim))\n        x = x.sum(rows)\n        "
    kept = "ones = tuple(i for i, n in enumerate(like.shape) if n == 1)\n        "
    source = source.format(f"{helper}{kept}return np.array(x.sum(ones, keepdims=True))")
    (here / "mul_broadcast_backward.py").write_text(f"import numpy as np\n\n\n{source}", encoding="utf-8")
    assert run("check", "mul_broadcast_backward").returncode == 0
    shown = run("solution", "mul_broadcast_backward").stdout
    assert shown.index("yours") < shown.index("return fit(g * b, a)") < shown.index("worked solution")
    (told,) = [line for line in shown.splitlines() if line.startswith("the next quiz begins with: ")]
    first = told.rpartition(": ")[2].split(", ")[0]
    asked = json.loads(run("quiz", "--limit", "1", "--output-format", "json").stdout)
    assert [card["id"] for card in asked["cards"]] == [first]
