"""`python -m benchmarks.gpu`: the walk over its steps without a GPU, and what survives a failure."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def section(page: str, title: str) -> str:
    return page.partition(f"## {title}\n")[2].partition("\n## ")[0]


def has_gpu() -> bool:
    try:
        engine.backend_named("cuda")
    except engine.DeviceError:
        return False
    return True


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_one_line_says_so() -> None:
    done = command()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "`--dry-run` walks the steps without a GPU" in done.stderr


@pytest.mark.slow
@pytest.mark.compiler
def test_dry_run_walks_every_step(tmp_path: Path) -> None:
    from benchmarks.gpu.steps import STEPS

    out = tmp_path / "page.md"
    done = command("--dry-run", "--out", str(out))
    page = out.read_text(encoding="utf-8")
    assert done.returncode == 0, page
    assert "Every step succeeded." in page
    for step in STEPS.values():
        assert section(page, step.title).strip()
    assert "1 passed" in section(page, "Tests")
    assert "| pass | 1 | - |" in section(page, "Kernels of the exercises")
    assert section(page, "Programs of the whole engine").count(": agrees") >= 14
    for line in section(page, "NumPy and CuPy over the registry").splitlines():
        if line.startswith(("| forward", "| vjp", "| jvp", "| reverse", "| vmap")):
            _, _, agree, of, _ = (cell.strip() for cell in line.split("|"))
            assert agree == of
    assert section(page, "Speed").count("ms |") >= 7


def test_a_step_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    from benchmarks.gpu import __main__ as main

    said = {"machine": ("half of it", "signal 11"), "programs": ("", ""), "gradcheck": ("all of it", "")}
    monkeypatch.setattr(main, "section", lambda name, **_: (*said[name], 1.0))
    chosen = [word for name in said for word in ("--only", name)]
    assert main.main(["--dry-run", *chosen]) == 1
    page = capfd.readouterr().out
    assert "Steps that failed: machine." in page
    assert "half of it\n\n**This step failed: signal 11.**" in page
    assert "It printed nothing." in page
    assert "all of it" in page


@pytest.mark.parametrize(
    ("code", "fault", "printed"),
    [
        ("print('a', flush=True); raise SystemExit(3)", "exit code 3", "a"),
        ("import os, sys; print('b', flush=True); os.kill(os.getpid(), 9)", "signal 9", "b"),
        ("import time; print('c', flush=True); time.sleep(60)", "no end after 1 s", "c"),
    ],
)
def test_section_keeps_what_a_dying_step_printed(
    monkeypatch: pytest.MonkeyPatch, code: str, fault: str, printed: str
) -> None:
    from benchmarks.gpu import __main__ as main

    started: Callable[..., Any] = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda _, **keywords: started([sys.executable, "-c", code], **keywords))
    text, found, seconds = main.section("machine", dry=True, limit=1.0 if "no end" in fault else 60.0)
    assert (text.strip(), found) == (printed, fault)
    assert seconds < 30


@pytest.mark.torch
def test_tasks_are_the_same_computation_in_both_libraries(torch: Any) -> None:
    from benchmarks.gpu.tasks import gradients, tasks, torch_gradients

    names = []
    for task in tasks(small=True):
        inputs = task.inputs()
        ours = gradients(task.ours, *inputs)
        theirs = torch_gradients(torch, partial(task.theirs, torch), *map(torch.from_numpy, inputs))
        for got, wanted in zip(ours, theirs, strict=True):
            # Both in single precision, through at most a few hundred operations.
            np.testing.assert_allclose(got, wanted.numpy(), rtol=1e-3, atol=1e-4 * float(abs(wanted).max()))
        names.append(task.name)
    assert len(names) == len(set(names)) >= 7
