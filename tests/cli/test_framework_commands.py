"""`open`, `check`, `watch` and `grade` with answers in PyTorch and JAX."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import environment

if TYPE_CHECKING:
    from tests.conftest import Run

ANSWERS = Path(__file__).parents[1] / "corpus" / "frameworks"
NAME = "mul_broadcast_backward"
RIGHT = ANSWERS / "torch" / NAME / "right" / "formula.py"
WRONG = ANSWERS / "torch" / NAME / "wrong" / "not_summed.py"
HIDDEN = "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *a: None if n == 'torch' else f(n, *a)\n"
PROGRAM = HIDDEN + "import sys; from autodrill.__main__ import main; main()"


@pytest.mark.torch
def test_check_grades_an_answer_in_torch(run: Run) -> None:
    passed = run("check", NAME, "--file", str(RIGHT))
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert f"PASS  {NAME}" in passed.stdout
    failed = run("check", NAME, "--file", str(WRONG), "--output-format", "json")
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["failure"]["rule"]["key"] == "no-unbroadcast"


def test_check_names_a_missing_framework(here: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "check", NAME, "--file", str(RIGHT)],
        cwd=here,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: this answer uses PyTorch, which is not installed\n")
    assert done.stderr.splitlines()[-1] == "hint: `pip install torch`, or write the answer with NumPy"


@pytest.mark.torch
def test_open_writes_a_stub_for_torch(run: Run, here: Path) -> None:
    opened = run("open", "softmax_backward", "--here", "--framework", "torch")
    assert opened.returncode == 0, opened.stderr
    text = (here / "softmax_backward.py").read_text(encoding="utf-8")
    assert "import torch\n" in text
    assert "Answer in PyTorch" in text
    again = run("open", "softmax_backward", "--here", "--framework", "torch", "--output-format", "json")
    assert json.loads(again.stdout)["written"] is False


@pytest.mark.torch
def test_watch_grades_torch_and_numpy_in_turn(here: Path, home: Path) -> None:
    path = here / f"{NAME}.py"
    path.write_bytes(WRONG.read_bytes())
    process = subprocess.Popen(
        [sys.executable, "-m", "autodrill", "watch", NAME, "--output-format", "json"],
        cwd=here,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    numpy = "def mul_broadcast_backward(g, a, b):\n    return g * b, g.copy()\n"
    with process:
        try:
            verdicts = []
            for source in (None, RIGHT.read_text(), numpy, RIGHT.read_text() + "\n"):
                if source is not None:
                    path.write_text(source, encoding="utf-8")
                assert process.stdout is not None
                verdicts.append(json.loads(process.stdout.readline())["report"]["verdict"])
            assert verdicts == ["fail", "pass", "fail", "pass"]
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()


def test_grade_says_that_it_takes_numpy(run: Run, here: Path) -> None:
    (here / "handed_in").mkdir()
    (here / "handed_in" / f"{NAME}.py").write_bytes(RIGHT.read_bytes())
    done = run("grade", NAME, str(here / "handed_in"), "--output-format", "json")
    assert done.returncode == 1, done.stderr
    (graded,) = json.loads(done.stdout)["reports"]
    assert graded["verdict"] == "fail"
    assert graded["failure"]["summary"].startswith("the file is written with PyTorch: `check` runs it")
