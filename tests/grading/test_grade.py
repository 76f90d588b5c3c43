"""Whole gradings: the verdict, the fault with its line, and the separation of the two processes."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.exercise import kind_named
from autodrill.errors import UsageError
from autodrill.grading.debug import step_through
from autodrill.grading.grade import grade
from autodrill.grading.report import Basis, Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Failure, Report
    from tests.conftest import Pack

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"


@pytest.fixture
def graded_cube(pack: Pack) -> Callable[..., Report]:
    """Grade a submission to the pack's exercise."""
    pack.add()
    drill = pack.load()

    def graded_cube(source: str | bytes, seed: int = 0, only: int | None = None) -> Report:
        content = source if isinstance(source, bytes) else source.encode()
        return grade(drill, Submission(content, "a.py", "a.py"), seed=seed, only=only)

    return graded_cube


def failure_of(report: Report) -> Failure:
    assert report.failure is not None, report
    return report.failure


def test_grade_passes_a_right_answer(graded_cube: Callable[..., Report]) -> None:
    report = graded_cube(RIGHT)
    assert (report.verdict, report.failure, report.remarks) == (Verdict.PASS, None, ())
    assert report.passed == report.cases > 5
    assert 0 < report.seconds < 10


def test_grade_explains_a_known_mistake_on_a_small_case(
    graded_cube: Callable[..., Report],
) -> None:
    report = graded_cube("def cube_backward(g, x):\n    return 3 * x ** 3 * g\n")
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (Verdict.FAIL, FaultKind.VALUE)
    assert failure.rule is not None
    assert (failure.rule.key, failure.rule.known) == ("square", True)
    assert list(failure.given) == ["g", "x"]
    assert [c.name for c in failure.comparisons] == ["dx"]
    assert len(failure.given["x"]) < 20


def test_grade_is_deterministic_for_a_seed(graded_cube: Callable[..., Report]) -> None:
    wrong = "def cube_backward(g, x):\n    return 3 * x ** 3 * g\n"
    first, again = graded_cube(wrong, seed=7), graded_cube(wrong, seed=7)
    assert (first.failure, first.cases, first.passed) == (again.failure, again.cases, again.passed)


@pytest.mark.parametrize(
    ("change", "basis"),
    [
        (("", ""), Basis.ORACLES),
        (('given("x[n,m]")', 'given("x[n,m]", smooth=False)'), Basis.ENGINE),
        (("def forward(x):\n    return x * x * x", "def expected(x, g=1):\n    return g * 3 * x * x"), Basis.ANSWER),
        (("def slope", "def judge(dx, x):\n    return None\n\n\ndef slope"), Basis.JUDGE),
    ],
)
def test_report_names_its_basis(pack: Pack, change: tuple[str, str], basis: Basis) -> None:
    pack.add(solution=change)
    drill = pack.load()
    if basis is Basis.ANSWER:
        exercise = replace(drill.exercise, kind="program", parameters=drill.exercise.parameters[1:])
        drill = replace(drill, exercise=exercise, kind=kind_named("program"))
    source = b"def cube_backward(g, x=None):\n    return 3 * g * g if x is None else 3 * x * x * g\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0)
    assert report.basis is basis


def test_grade_puts_one_case_only(graded_cube: Callable[..., Report]) -> None:
    assert (graded_cube(RIGHT, only=2).cases, graded_cube(RIGHT, only=2).passed) == (1, 1)


def test_grade_refuses_a_missing_case(graded_cube: Callable[..., Report]) -> None:
    with pytest.raises(UsageError, match="there is no case 999"):
        graded_cube(RIGHT, only=999)


def test_step_through_refuses_a_missing_case(pack: Pack) -> None:
    pack.add()
    with pytest.raises(UsageError, match="there is no case 999"):
        step_through(pack.load(), Submission(RIGHT.encode(), "a.py", "a.py"), seed=0, case=999)


@pytest.mark.parametrize(
    ("source", "verdict", "kind", "line", "words"),
    [
        (
            "def cube(g, x):\n    return g\n",
            Verdict.ERROR,
            FaultKind.MISSING,
            None,
            "no `cube_backward`; it defines `cube`",
        ),
        ("", Verdict.ERROR, FaultKind.MISSING, None, "the file defines no `cube_backward`"),
        ("cube_backward = 3\n", Verdict.ERROR, FaultKind.MISSING, None, "`cube_backward` is a int, not a function"),
        ("x = 1\ndef cube_backward(g, x:\n", Verdict.ERROR, FaultKind.SYNTAX, 2, "'(' was never closed"),
        (b"# -*- coding: utf-8 -*-\nx = '\xff'\n", Verdict.ERROR, FaultKind.SYNTAX, None, ""),
        (b"x = 1\0\n", Verdict.ERROR, FaultKind.SYNTAX, None, ""),
        ("import numpy\nimport torch\n", Verdict.ERROR, FaultKind.RAISED, 2, "the file raises ModuleNotFoundError"),
        ("raise SystemExit\n", Verdict.ERROR, FaultKind.RAISED, 1, "the file raises SystemExit"),
        ("import os\nos._exit(0)\n", Verdict.ERROR, FaultKind.DIED, 2, "(exit code 0) during loading"),
        ("def cube_backward(g, x):\n    return g.T.no\n", Verdict.FAIL, FaultKind.RAISED, 2, "AttributeError"),
        ("def cube_backward(g):\n    return g\n", Verdict.FAIL, FaultKind.RAISED, None, "TypeError"),
        (
            "def cube_backward(g, x):\n    import os\n    os._exit(0)\n",
            Verdict.FAIL,
            FaultKind.DIED,
            3,
            "(exit code 0)",
        ),
        (
            "def cube_backward(g, x):\n    raise NotImplementedError\n",
            Verdict.FAIL,
            FaultKind.NOT_IMPLEMENTED,
            2,
            "not",
        ),
    ],
)
def test_grade_names_a_file_without_an_answer(
    graded_cube: Callable[..., Report], source: str, verdict: Verdict, kind: FaultKind, line: int | None, words: str
) -> None:
    report = graded_cube(source)
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (verdict, kind)
    assert words in failure.summary
    if line is not None:
        assert failure.line == line


def test_grade_stops_an_endless_loop(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    source = b"def cube_backward(g, x):\n    while True:\n        pass\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0, limits=Limits(seconds=0.3))
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (Verdict.TIMEOUT, FaultKind.TIME)
    assert failure.line in (2, 3)
    assert report.seconds < 5


def test_grade_calls_the_stub_not_implemented(pack: Pack) -> None:
    pack.add(exercise=("raise NotImplementedError", "return g"))
    drill = pack.load()
    report = grade(drill, Submission(drill.exercise.stub.encode(), "a.py", "a.py"), seed=0)
    assert failure_of(report).kind is FaultKind.NOT_IMPLEMENTED


def test_report_keeps_printed_output_apart(graded_cube: Callable[..., Report]) -> None:
    report = graded_cube(f"print('PASS')\n{RIGHT}")
    assert report.verdict is Verdict.PASS
    assert report.output.startswith("PASS\n")


def test_grade_reports_a_faulty_exercise_as_internal(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * undefined"))
    drill = pack.load()
    report = grade(drill, Submission(RIGHT.encode(), "a.py", "a.py"), seed=0)
    assert (report.verdict, report.failure) == (Verdict.INTERNAL, None)
    assert "`forward` raises NameError" in report.detail


def test_grade_of_a_stub_reports_a_faulty_exercise_too(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * undefined"))
    drill = pack.load()
    report = grade(drill, Submission(drill.exercise.stub.encode(), "a.py", "a.py"), seed=0)
    assert report.verdict is Verdict.INTERNAL


def test_grade_passes_a_tolerated_answer_with_a_remark(graded: Callable[..., Report]) -> None:
    source = "def relu_backward(self, out):\n    self.grad += (out.data > 0) * out.grad\n"
    report = graded("relu_backward", source)
    assert report.verdict is Verdict.PASS
    assert len(report.remarks) == 1
    assert report.passed < report.cases


def test_grade_uses_and_closes_a_given_runner(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    runner = Runner.start(CHECK_LIMITS)
    report = grade(drill, Submission(RIGHT.encode(), "a.py", "a.py"), seed=0, runner=runner)
    assert report.verdict is Verdict.PASS
    assert runner.finished


def test_grade_runs_no_candidate_code_in_its_own_process(graded_cube: Callable[..., Report]) -> None:
    before = set(sys.modules)
    report = graded_cube("import sys, os\nsys.judge_was_here = True\nprint(os.getpid())\n" + RIGHT)
    import os

    assert report.verdict is Verdict.PASS
    assert int(report.output.split()[0]) != os.getpid()
    assert not hasattr(sys, "judge_was_here")
    assert not {m for m in set(sys.modules) - before if "candidate" in m or m == "a"}


@pytest.mark.parametrize(
    "attempt",
    [
        "import autodrill",
        "import autodrill.grading.oracle.expected",
        "import importlib; importlib.import_module('autodrill.engine')",
        "__import__('autodrill')",
    ],
)
def test_child_process_cannot_import_the_oracle(graded_cube: Callable[..., Report], attempt: str) -> None:
    report = graded_cube(f"def cube_backward(g, x):\n    {attempt}\n    return 3 * x * x * g\n")
    assert report.verdict is Verdict.FAIL
    assert "ModuleNotFoundError: No module named 'autodrill'" in failure_of(report).summary


@pytest.mark.parametrize(
    "course",
    [
        "import cs231n.fast_layers\nfrom .im2col import *\nfrom torch import nn\nclass Net(nn.Module):\n    pass\n",
        "import numba\n@numba.njit\ndef other(x):\n    return x\n\ndevice = numba.cuda.gpus[0]\n",
        "from __future__ import annotations\nimport torch\ndef other(x: torch.Tensor): ...\n",
        "if True:\n    import matplotlib.pyplot as plt\n    plt.rcParams['a'] = 1\n",
    ],
)
def test_file_may_import_missing_modules_it_does_not_use(graded_cube: Callable[..., Report], course: str) -> None:
    assert graded_cube(course + RIGHT).verdict is Verdict.PASS


def test_file_may_catch_a_missing_import_itself(graded_cube: Callable[..., Report]) -> None:
    course = "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp\n"
    assert graded_cube(course + RIGHT.replace("3 * x * x", "3 * xp.square(x)")).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("course", "line", "why"),
    [
        ("import torch\n" + RIGHT.replace("3 * x", "torch.relu(x) * x"), 3, "No module named 'torch'"),
        ("from torch import relu\n" + RIGHT.replace("3 * x", "relu(x) * x"), 3, "No module named 'torch'"),
        ("import jax\nK = jax.numpy.ones(3)\n" + RIGHT.replace("3 * x", "K * x"), 4, "No module named 'jax'"),
        ("import torch\nN = torch.e\n" + RIGHT.replace("3 * x", "x * x if N else x"), 4, "No module named 'torch'"),
    ],
)
def test_grade_places_the_use_of_a_missing_module(
    graded_cube: Callable[..., Report], course: str, line: int, why: str
) -> None:
    report = graded_cube(course)
    assert (report.verdict, failure_of(report).line) == (Verdict.FAIL, line)
    assert why in failure_of(report).summary


@pytest.mark.parametrize("wrapper", ["@numba.njit\n", "@numba.njit(cache=True)\n"])
def test_grade_names_a_missing_module_of_a_decorator(graded_cube: Callable[..., Report], wrapper: str) -> None:
    report = graded_cube(f"import numba\n{wrapper}{RIGHT}")
    assert report.verdict is Verdict.ERROR
    assert "No module named 'numba'" in failure_of(report).summary


def test_grade_names_another_exception_after_a_missing_import(graded_cube: Callable[..., Report]) -> None:
    report = graded_cube(f"import torch\n1 / 0\n{RIGHT}")
    assert report.verdict is Verdict.ERROR
    assert "ZeroDivisionError" in failure_of(report).summary


def test_child_process_holds_nothing_of_the_solution(graded_cube: Callable[..., Report]) -> None:
    source = f"import sys\nprint([m for m in sys.modules if 'autodrill' in m or 'solution' in m])\n{RIGHT}"
    assert graded_cube(source).output.splitlines()[0] == "[]"


def test_report_is_plain_json(graded_cube: Callable[..., Report]) -> None:
    import json

    document = json.loads(
        json.dumps(graded_cube("def cube_backward(g, x):\n    return g\n").as_dict(), allow_nan=False)
    )
    assert document["verdict"] == "fail"
    assert document["failure"]["comparisons"][0]["name"] == "dx"
