"""Kernels on the command line: exit codes, messages and refusals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

pytestmark = pytest.mark.compiler

NAME = "cuda_relu_backward"
EXERCISE = SHIPPED.find(NAME)
SOLUTION = SHIPPED.drill(EXERCISE).solution
BEFORE, KERNEL = SOLUTION.source.split("    for (", 1)


def answer(body: str) -> str:
    return f'{BEFORE}{body}\n}}\n"""\n'


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (SOLUTION.source, 0, "run on a simulated device"),
        (EXERCISE.stub, 1, "not implemented yet"),
        (answer("    dx[threadIdx.x] = g[0];"), 1, "overwritten: thread 0 of block 1 overwrites"),
        (answer("    dx[0] = q;"), 1, "'q' was not declared"),
        (answer("    for (;;) ;"), 1, "TIMEOUT"),
        ("def other():\n    pass\n", 1, f"the file defines no `{NAME}`; it defines `other`"),
        ("def\n", 1, "line 1: not valid Python"),
    ],
    ids=["solution", "stub", "wrong", "does not compile", "endless", "another name", "no Python"],
)
def test_check_reports_the_fault_of_a_kernel(run: Run, here: Path, source: str, code: int, said: str) -> None:
    (here / f"{NAME}.py").write_text(source, encoding="utf-8")
    done = run("check", NAME, "--seed", "0")
    assert done.returncode == code, done.stderr
    assert said in " ".join(done.stdout.split())
    assert "--pdb" not in done.stdout


def test_check_pdb_rejects_kernels(run: Run, here: Path) -> None:
    (here / f"{NAME}.py").write_text(SOLUTION.source, encoding="utf-8")
    done = run("check", NAME, "--case", "0", "--pdb")
    assert done.returncode == 2
    assert "not through a kernel" in done.stderr


def test_check_without_a_compiler_says_what_to_install(run: Run, here: Path) -> None:
    (here / f"{NAME}.py").write_text(SOLUTION.source, encoding="utf-8")
    done = run("check", NAME, PATH="/nowhere")
    assert done.returncode == 2
    assert "no C++ compiler" in done.stderr
    assert "on Linux install `g++` or `clang++`" in done.stderr


def test_grade_rejects_kernels_without_unconfined(run: Run, here: Path) -> None:
    (here / "a.py").write_text(SOLUTION.source, encoding="utf-8")
    (here / "b.py").write_text(SOLUTION.mistakes[0].source, encoding="utf-8")
    refused = run("grade", NAME, "a.py", "b.py")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "a kernel is machine code" in refused.stderr
    graded = run("grade", NAME, "a.py", "b.py", "--unconfined", "--output-format", "json")
    reports = json.loads(graded.stdout)["reports"]
    assert [r["verdict"] for r in reports] == ["pass", "fail"]
    assert reports[1]["failure"]["rule"]["key"] == SOLUTION.mistakes[0].key


def test_doctor_names_the_device_for_kernels(run: Run) -> None:
    assert "kernels   simulated device, " in run("doctor").stdout
    told = json.loads(run("doctor", "--output-format", "json").stdout)
    assert set(told["compiler"]) == {"path", "version"}
    assert told["gpu"] in {True, False}
