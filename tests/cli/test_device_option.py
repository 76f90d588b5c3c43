"""`--device cuda` on a machine without a GPU: one clear line and exit code 2, never a run on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.grading.kernels.gpu_runner import has_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run

pytestmark = pytest.mark.skipif(has_gpu(), reason="this machine has a GPU")

LIBRARY = Library.open(environ={})


@pytest.mark.parametrize("name", ["matmul_backward", "cuda_relu_backward"])
@pytest.mark.parametrize("command", ["check", "grade", "verify"])
def test_device_cuda_without_a_gpu_ends_with_exit_code_2(run: Run, here: Path, command: str, name: str) -> None:
    file = here / f"{name}.py"
    file.write_text(LIBRARY.drill(LIBRARY.find(name)).solution.source, encoding="utf-8")
    arguments = ("grade", name, str(file), "--unconfined") if command == "grade" else (command, name)
    done = run(*arguments, "--device", "cuda")
    assert (done.returncode, done.stdout) == (2, "")
    first, *others = done.stderr.strip().splitlines()
    assert first.startswith("error: `--device cuda` needs an NVIDIA GPU and cupy: this machine has no NVIDIA GPU")
    assert [line.split(":")[0] for line in others if line] == ["hint"]


def test_answer_in_cupy_says_which_option_it_needs(run: Run, here: Path) -> None:
    source = LIBRARY.drill(LIBRARY.find("matmul_backward")).solution.source
    answer = f"import cupy as cp\n\n\n{source}".replace("return ", "return cp.asarray(0) + ", 1)
    (here / "matmul_backward.py").write_text(answer, encoding="utf-8")
    done = run("check", "matmul_backward")
    assert done.returncode == 2
    assert "this answer uses CuPy, whose arrays are on a GPU" in done.stderr
    assert "add `--device cuda`" in done.stderr
