"""Answers on arrays of a GPU: put as CuPy arrays by a process of their own, compared on the host.

No test here needs a GPU. A stand-in for CuPy takes its place in the candidate's process; all else is real.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.errors import UnconfinedError, UsageError
from autodrill.grading.batch import Task, Worker
from autodrill.grading.framework_answers import framework_of, limits_of, usable_framework
from autodrill.grading.grade import grade
from autodrill.grading.kernels import gpu_runner
from autodrill.grading.report import Report, Verdict
from autodrill.grading.submission import Submission
from autodrill.grading.verify.verify import prove, takes_gpu
from autodrill.sandbox import fork_server
from autodrill.sandbox.child.confinement import APART, SEALED
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.libraries import Framework

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library

    Grade = Callable[[str], Report]

STAND_IN = Path(__file__).with_name("cupy_stand_in.py")
NAME = "softmax_backward"
RIGHT = """
import numpy as np

def softmax_backward(g, out, axis):
    assert type(g).__module__ == type(out).__module__ == "cupy", type(g)
    return out * (g - np.sum(g * out, axis=axis, keepdims=True))
"""


@pytest.fixture
def cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cupy").mkdir()
    (tmp_path / "cupy" / "__init__.py").write_text(STAND_IN.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "cupy", raising=False)  # the real one, from which other tests take its names
    monkeypatch.setattr(gpu_runner, "_DEVICES", (tmp_path,))
    # A fork would carry a context of the GPU along.
    monkeypatch.setattr(fork_server, "ForkServer", None)
    return tmp_path


@pytest.fixture
def on_gpu(shipped: Library, cupy: Path) -> Grade:
    def on_gpu(source: str) -> Report:
        drill = shipped.drill(shipped.find(NAME))
        framework = usable_framework(drill.exercise, source.encode(), on_gpu=True)
        submission = Submission(source.encode(), "a.py", "a.py", framework)
        with own_code_launcher(framework) as launcher:
            limits = limits_of(Framework.CUPY)
            return grade(drill, submission, seed=0, launcher=launcher, limits=limits, on_gpu=True)

    return on_gpu


@pytest.mark.parametrize("source", [RIGHT, RIGHT.replace("import numpy", "import cupy")], ids=["NumPy", "CuPy"])
def test_right_answer_gets_arrays_of_the_gpu_and_passes(on_gpu: Grade, source: str) -> None:
    report = on_gpu(source)
    assert (report.verdict, report.device, report.remarks) == (Verdict.PASS, gpu_runner.ON_GPU, ()), report.failure
    assert report.passed == report.cases > 10


def test_wrong_answer_on_the_gpu_breaks_the_same_rule(on_gpu: Grade) -> None:
    report = on_gpu(RIGHT.replace("np.sum(g * out,", "np.sum(g,"))
    assert report.failure is not None
    assert report.failure.kind is FaultKind.VALUE
    assert report.failure.rule is not None


@pytest.mark.parametrize(
    ("old", "new", "kind", "words"),
    [
        ("return out *", "return np.zeros(out.shape) + out *", FaultKind.RAISED, "Unsupported type"),
        ("return out *", "return np.asarray(out) *", FaultKind.RAISED, "Implicit conversion"),
        (
            "    return out",
            "    dx = out * (g - np.sum(g * out, axis=axis, keepdims=True))\n    g += 1\n    return dx; out",
            FaultKind.MUTATED,
            "modif",
        ),
    ],
    ids=["a host array", "a conversion", "a changed argument"],
)
def test_gpu_answer_is_held_to_the_rules(on_gpu: Grade, old: str, new: str, kind: FaultKind, words: str) -> None:
    report = on_gpu(RIGHT.replace(old, new))
    assert report.failure is not None
    assert report.failure.kind is kind, report.failure
    assert words in f"{report.failure.summary} {report.failure.rule}"


def test_worker_grades_on_the_gpu(cupy: Path) -> None:
    task = Task(NAME, (), 0, replace(APART, required=frozenset()), on_gpu=True)
    with Worker(task) as worker:
        report = worker.grade(Submission(RIGHT.encode(), "a.py", "a.py"))
    assert (report.verdict, report.device) == (Verdict.PASS, gpu_runner.ON_GPU), report


def test_prove_runs_solutions_with_cupy_in_place_of_numpy(shipped: Library, cupy: Path) -> None:
    exercise = shipped.find("mul_broadcast_backward")
    assert takes_gpu(shipped.drill(exercise))
    proof = prove(shipped, exercise, seeds=1, on_gpu=True)
    assert (proof.problems, proof.seeds, proof.mutants) == ((), 1, 0)
    assert not takes_gpu(shipped.drill(shipped.find("mul_backward")))


def test_prove_reports_a_solution_that_fails_on_the_gpu(
    shipped: Library, cupy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = STAND_IN.read_text(encoding="utf-8").replace("return np.array(value._held)", "return 2 * value._held")
    (cupy / "cupy" / "__init__.py").write_text(text, encoding="utf-8")
    proof = prove(shipped, shipped.find("mul_broadcast_backward"), seeds=1, on_gpu=True)
    assert [p.message.partition(" with seed")[0] for p in proof.problems] == [
        "the worked solution does not pass on the GPU"
    ]


def test_kernel_on_a_broken_gpu_is_an_internal_error(shipped: Library, cupy: Path) -> None:
    (cupy / "cupy" / "__init__.py").write_text("raise ImportError('no driver')\n", encoding="utf-8")
    drill = shipped.drill(shipped.find("cuda_relu_backward"))
    report = grade(drill, Submission(drill.solution.source.encode(), "a.py", "a.py"), seed=0, on_gpu=True)
    assert report.verdict is Verdict.INTERNAL
    assert report.detail is not None
    assert "no driver" in report.detail


def test_framework_of_recognises_cupy(shipped: Library) -> None:
    exercise, source = shipped.find(NAME), RIGHT.replace("import numpy", "import cupy").encode()
    assert framework_of(exercise, source) is Framework.CUPY
    with pytest.raises(UsageError, match="CuPy, whose arrays are on a GPU"):
        usable_framework(exercise, source)
    with pytest.raises(UsageError, match="hands out arrays of CuPy, and this answer uses PyTorch"):
        usable_framework(exercise, RIGHT.replace("import numpy as np", "import torch as np").encode(), on_gpu=True)
    assert usable_framework(shipped.find("cuda_relu_backward"), b"", on_gpu=True) is None


@pytest.mark.parametrize(
    ("devices", "module", "words"),
    [
        (False, True, "needs an NVIDIA GPU and cupy: this machine has no NVIDIA GPU$"),
        (True, False, "needs an NVIDIA GPU and cupy: cupy is not installed$"),
        (False, False, "this machine has no NVIDIA GPU, and cupy is not installed$"),
    ],
)
def test_require_gpu_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, devices: bool, module: bool, words: str
) -> None:
    monkeypatch.setattr(gpu_runner, "_DEVICES", (tmp_path,) if devices else ())
    monkeypatch.setattr(gpu_runner, "find_spec", lambda _: object() if module else None)
    with pytest.raises(UsageError, match=words):
        gpu_runner.require_gpu()


def test_require_gpu_accepts_a_device_and_cupy(cupy: Path) -> None:
    gpu_runner.require_gpu()


def test_sealed_grading_on_a_gpu_is_refused(shipped: Library, cupy: Path) -> None:
    from autodrill.cli.grade_command import _check_gpu

    assert SEALED.required
    drill = shipped.drill(shipped.find(NAME))
    with pytest.raises(UnconfinedError, match="driver of a GPU cannot work"):
        _check_gpu(drill, unconfined=False)
    _check_gpu(drill, unconfined=True)
    with pytest.raises(UsageError, match="not an exercise on arrays"):
        _check_gpu(shipped.drill(shipped.find("mul_backward")), unconfined=True)
