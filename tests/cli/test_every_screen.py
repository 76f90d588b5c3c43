"""Every command that prints, on a terminal of 60, 80 and 140 columns, in colour, without, and in an ASCII locale."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.cli.conftest import ADOPT, Terminal, environment
from tests.cli.test_quiz_screens import SCREENS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(180)

PROGRAM = ADOPT + "import os, sys; os.chdir(sys.argv.pop(1)); from autodrill.__main__ import main; main()"
WRONG = "def mul_broadcast_backward(g, a, b):\n    return g * b, g * a\n"
RIGHT = "def tanh_backward(self, out):\n    self.grad += (1 - out.data ** 2) * out.grad\n"
NO_SCALE = """
def attention_backward(g, q, k, v, p):
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))
    return ds @ k, ds.mT @ q, p.mT @ g
"""
COMMANDS = (
    "",
    "list",
    "show pow_backward",
    "check mul_broadcast_backward --seed 1",
    "check tanh_backward",
    "check attention_backward --draw --seed 1",
    "due",
    "stats",
    "predict mul_broadcast_backward --input none",
    "predict conv2d_backward --input none",
    "limit",
    "tune",
    "interview --plan --minutes 15 --seed 1",
    "interview --list",
    "hint matmul_backward",
    "solution matmul_backward --give-up",
    "list --todo --topic softmax",
    "history",
    "history mul_broadcast_backward",
    "history --limit 2",
    "undo",
    "next",
    "quiz --paths",
    "quiz --search softmax --limit 5",
    "quiz --ids attention-scale-gradient --no-input",
    "doctor",
    "trace x*y+sin(x) --at x=1,y=2",
    "check --help",
    "chek",
    "show nope",
)
LONGEST_COMMAND = re.compile(r"autodrill [^ ]+( --[a-z-]+ [^ ]+)+$")
"""A command to copy, which is never broken; nor is a path."""


@pytest.mark.parametrize(("columns", "changes"), SCREENS)
def test_lines_fit_the_terminal_and_its_locale(
    columns: int, changes: dict[str, str], here: Path, home: Path, tmp_path: Path
) -> None:
    (here / "mul_broadcast_backward.py").write_text(WRONG, encoding="utf-8")
    (here / "tanh_backward.py").write_text(RIGHT, encoding="utf-8")
    (here / "attention_backward.py").write_text(NO_SCALE, encoding="utf-8")
    env = environment(home, **changes)
    del env["COLUMNS"]
    wide: list[str] = []
    for command in COMMANDS:
        with Terminal([sys.executable, "-c", PROGRAM, str(here), *command.split()], env, columns, 24) as term:
            if not command:  # the first screen waits for a key
                term.wait_for(" quit")
                os.write(term.master, b"q")
            assert term.finish() in {0, 1, 2}
            assert "Traceback" not in term.text
            assert term.seen.isascii() or "LC_ALL" not in changes, command
            assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", term.seen) or "NO_COLOR" not in changes, command
            wide += [
                f"{command}: {line}"
                for line in term.text.splitlines()
                if cell_len(line.rstrip()) > columns and not LONGEST_COMMAND.search(line) and str(home) not in line
            ]
    assert not wide, "\n".join(wide)
