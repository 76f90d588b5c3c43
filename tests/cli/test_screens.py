"""The output on every kind of screen: colours, widths, locales, and text that looks like markup or control codes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Pack, Run

WRONG = """
def mul_backward(self, other, out):
    self.grad = other.data * out.grad
    other.grad = self.data * out.grad
"""


@pytest.fixture
def failing(run: Run, here: Path) -> tuple[str, ...]:
    (here / "mul_backward.py").write_text(WRONG, encoding="utf-8")
    return ("check", "mul_backward", "--seed", "1")


@pytest.mark.slow
def test_colour_follows_the_environment(run: Run, failing: tuple[str, ...]) -> None:
    assert "\x1b" not in run(*failing).stdout
    assert "\x1b[31;1m" in run(*failing, FORCE_COLOR="1").stdout
    assert "\x1b" not in run(*failing, FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b" not in run(*failing, TERM="dumb").stdout


def test_states_have_a_word_without_colour(run: Run, failing: tuple[str, ...]) -> None:
    listed = run("list").stdout.splitlines()
    assert listed[-1].split() == ["✓", "passed", "!", "due", "again", "~", "tried", "·", "new", "◦", "later"]
    assert "FAIL  mul_backward" in run(*failing).stdout
    assert any(re.fullmatch(r"  ~ mul_backward .* tried", line) for line in run("list").stdout.splitlines())


@pytest.mark.parametrize("words", [("list",), ("show", "mul_backward"), ("solution", "tanh_backward", "--give-up"), ()])
def test_output_is_ascii_in_an_ascii_locale(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 0
    assert (done.stdout + done.stderr).isascii()


def test_report_is_ascii_in_an_ascii_locale(run: Run, failing: tuple[str, ...]) -> None:
    done = run(*failing, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.stdout.isascii()
    assert done.stdout.startswith("x FAIL  mul_backward")


@pytest.mark.parametrize("words", [("list",), ("show", "mul_backward"), ("hint", "mul_backward")])
def test_output_fits_60_columns(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words, COLUMNS="60")
    assert max(map(len, done.stdout.splitlines())) <= 60


def test_listing_in_ascii_fits_the_screen(run: Run) -> None:
    done = run("list", COLUMNS="80", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert "..." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_listing_grows_to_100_columns(run: Run) -> None:
    narrow, wide, widest = (run("list", COLUMNS=str(n)).stdout.splitlines() for n in (60, 100, 300))
    assert max(map(len, narrow)) <= 60 < max(map(len, wide)) <= 100
    assert wide == widest


def test_listing_and_errors_print_brackets_unchanged(run: Run, pack: Pack) -> None:
    pack.add(exercise=('"Backward of a cube"', '"[bold]cube[/bold] of [a/b]"'))
    done = run("list", AUTODRILL_PACKS=str(pack.root), COLUMNS="140")
    assert "[bold]cube[/bold] of [a/b]" in done.stdout
    missed = run("show", "[a/b]")
    assert "no exercise named `[a/b]`" in missed.stderr


def test_task_prints_brackets_and_angles_unchanged(run: Run, pack: Pack) -> None:
    pack.add(exercise=("Return dx.", "Return dx for [red]x[/red] and f<g and g>h."))
    done = run("show", "cube", AUTODRILL_PACKS=str(pack.root), COLUMNS="200")
    assert "[red]x[/red] and f<g and g>h" in done.stdout


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\x1b[2J\x07", r"\x1b[2J\x07"),
        (r"\u202egnp", r"\u202egnp"),
        (r"a\rb", r"a\rb"),
        ("[red]x[/red]", "[red]x[/red]"),
    ],
)
def test_report_escapes_a_candidate_s_exception(run: Run, here: Path, text: str, shown: str) -> None:
    source = f"def mul_backward(self, other, out):\n    raise ValueError('{text}')\n"
    (here / "mul_backward.py").write_text(source, encoding="utf-8")
    done = run("check", "mul_backward", FORCE_COLOR="1")
    assert f"ValueError: {shown}" in done.stdout
    assert "\x07" not in done.stdout
    assert "\x1b[2J" not in done.stdout


def test_report_escapes_a_candidate_s_output_on_stderr(run: Run, here: Path) -> None:
    (here / "mul_backward.py").write_text(f"print('\\x1b[2Jhello')\n{WRONG}", encoding="utf-8")
    done = run("check", "mul_backward")
    assert "hello" not in done.stdout
    assert r"  \x1b[2Jhello" in done.stderr
    assert "your code printed (1 line):" in done.stderr


def test_replay_line_quotes_the_file_name(run: Run, here: Path) -> None:
    (here / "my answer.py").write_text(WRONG, encoding="utf-8")
    done = run("check", "mul_backward", "--file", "my answer.py")
    assert "--file 'my answer.py'" in done.stdout


def test_replay_line_repeats_the_failure(run: Run, failing: tuple[str, ...]) -> None:
    first = run(*failing)
    replay = next(line for line in first.stdout.splitlines() if "replay: " in line)
    words = replay.split("replay: autodrill ")[1].split("   ")[0].split()
    again = run(*words)
    assert again.returncode == 1
    assert again.stdout.splitlines()[0] == first.stdout.splitlines()[0]


def test_check_rejects_a_file_over_256_kib(run: Run, here: Path) -> None:
    (here / "mul_backward.py").write_bytes(b"#" * (257 << 10))
    done = run("check", "mul_backward")
    assert done.returncode == 2
    assert "`mul_backward.py` is larger than 256 KiB" in done.stderr
