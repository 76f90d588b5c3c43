"""Whole gradings: the verdict, the fault and its line, and that the two sides never meet in one process."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.kinds import kind_named
from autodrill.errors import UsageError
from autodrill.grading.debug import step_through
from autodrill.grading.grade import Submission, grade
from autodrill.grading.report import Basis, Verdict
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Failure, Report
    from tests.conftest import Pack

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"


@pytest.fixture
def judged(pack: Pack) -> Callable[..., Report]:
    """Grade an answer to the pack's exercise."""
    pack.add()
    drill = pack.load()

    def judged(source: str | bytes, seed: int = 0, only: int | None = None) -> Report:
        handed_in = source if isinstance(source, bytes) else source.encode()
        return grade(drill, Submission(handed_in, "a.py", "a.py"), seed=seed, only=only)

    return judged


def failure_of(report: Report) -> Failure:
    assert report.failure is not None, report
    return report.failure


def test_a_right_answer_passes_every_case(judged: Callable[..., Report]) -> None:
    report = judged(RIGHT)
    assert (report.verdict, report.failure, report.remarks) == (Verdict.PASS, None, ())
    assert report.passed == report.cases > 5
    assert 0 < report.seconds < 10


def test_a_wrong_answer_is_explained_on_a_small_case_with_the_exercise_s_own_words(
    judged: Callable[..., Report],
) -> None:
    report = judged("def cube_backward(g, x):\n    return 3 * x ** 3 * g\n")
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (Verdict.FAIL, FaultKind.VALUE)
    assert failure.rule is not None
    assert (failure.rule.key, failure.rule.known) == ("square", True)
    assert list(failure.given) == ["g", "x"]
    assert [c.name for c in failure.comparisons] == ["dx"]
    assert len(failure.given["x"]) < 20


def test_one_seed_gives_the_same_report_again(judged: Callable[..., Report]) -> None:
    wrong = "def cube_backward(g, x):\n    return 3 * x ** 3 * g\n"
    first, again = judged(wrong, seed=7), judged(wrong, seed=7)
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
def test_a_report_says_what_decides(pack: Pack, change: tuple[str, str], basis: Basis) -> None:
    pack.add(solution=change)
    drill = pack.load()
    if basis is Basis.ANSWER:
        exercise = replace(drill.exercise, kind="program", parameters=drill.exercise.parameters[1:])
        drill = replace(drill, exercise=exercise, kind=kind_named("program"))
    source = b"def cube_backward(g, x=None):\n    return 3 * g * g if x is None else 3 * x * x * g\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0)
    assert report.basis is basis


def test_one_case_is_put_alone(judged: Callable[..., Report]) -> None:
    assert (judged(RIGHT, only=2).cases, judged(RIGHT, only=2).passed) == (1, 1)


def test_a_case_that_does_not_exist_is_the_command_line_s_fault(judged: Callable[..., Report]) -> None:
    with pytest.raises(UsageError, match="there is no case 999"):
        judged(RIGHT, only=999)


def test_stepping_through_a_case_that_does_not_exist_is_too(pack: Pack) -> None:
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
        ("import os\nos._exit(0)\n", Verdict.ERROR, FaultKind.DIED, 2, "(exit code 0) while it was loaded"),
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
def test_a_file_that_gives_no_answer(
    judged: Callable[..., Report], source: str, verdict: Verdict, kind: FaultKind, line: int | None, words: str
) -> None:
    report = judged(source)
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (verdict, kind)
    assert words in failure.summary
    if line is not None:
        assert failure.line == line


def test_an_endless_loop_is_stopped_at_its_limit(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    source = b"def cube_backward(g, x):\n    while True:\n        pass\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0, limits=Limits(seconds=0.3))
    failure = failure_of(report)
    assert (report.verdict, failure.kind) == (Verdict.TIMEOUT, FaultKind.TIME)
    assert failure.line in (2, 3)
    assert report.seconds < 5


def test_the_stub_is_called_what_it_is_whatever_it_does(pack: Pack) -> None:
    pack.add(exercise=("raise NotImplementedError", "return g"))
    drill = pack.load()
    report = grade(drill, Submission(drill.exercise.stub.encode(), "a.py", "a.py"), seed=0)
    assert failure_of(report).kind is FaultKind.NOT_IMPLEMENTED


def test_what_the_candidate_prints_is_kept_apart(judged: Callable[..., Report]) -> None:
    report = judged(f"print('PASS')\n{RIGHT}")
    assert report.verdict is Verdict.PASS
    assert report.output.startswith("PASS\n")


def test_an_exercise_that_contradicts_itself_is_never_the_learner_s_fault(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * undefined"))
    drill = pack.load()
    report = grade(drill, Submission(RIGHT.encode(), "a.py", "a.py"), seed=0)
    assert (report.verdict, report.failure) == (Verdict.INTERNAL, None)
    assert "`forward` raises NameError" in report.detail


def test_an_exercise_at_fault_is_so_for_an_untouched_stub_too(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * undefined"))
    drill = pack.load()
    report = grade(drill, Submission(drill.exercise.stub.encode(), "a.py", "a.py"), seed=0)
    assert report.verdict is Verdict.INTERNAL


def test_a_wrong_answer_the_exercise_forgives_passes_with_a_remark(graded: Callable[..., Report]) -> None:
    source = "def relu_backward(self, out):\n    self.grad += (out.data > 0) * out.grad\n"
    report = graded("relu_backward", source)
    assert report.verdict is Verdict.PASS
    assert len(report.remarks) == 1
    assert report.passed < report.cases


def test_a_process_started_beforehand_is_used_and_closed(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    runner = Runner.start(CHECK_LIMITS)
    report = grade(drill, Submission(RIGHT.encode(), "a.py", "a.py"), seed=0, runner=runner)
    assert report.verdict is Verdict.PASS
    assert runner.finished


def test_the_judge_s_process_never_runs_the_candidate_s_file(judged: Callable[..., Report]) -> None:
    before = set(sys.modules)
    report = judged("import sys, os\nsys.judge_was_here = True\nprint(os.getpid())\n" + RIGHT)
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
def test_the_candidate_s_process_cannot_import_the_oracle(judged: Callable[..., Report], attempt: str) -> None:
    report = judged(f"def cube_backward(g, x):\n    {attempt}\n    return 3 * x * x * g\n")
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
def test_what_the_rest_of_a_file_imports_need_not_be_there(judged: Callable[..., Report], course: str) -> None:
    assert judged(course + RIGHT).verdict is Verdict.PASS


def test_an_import_in_a_try_is_the_file_s_own_affair(judged: Callable[..., Report]) -> None:
    course = "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp\n"
    assert judged(course + RIGHT.replace("3 * x * x", "3 * xp.square(x)")).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("course", "line", "why"),
    [
        ("import torch\n" + RIGHT.replace("3 * x", "torch.relu(x) * x"), 3, "No module named 'torch'"),
        ("from torch import relu\n" + RIGHT.replace("3 * x", "relu(x) * x"), 3, "No module named 'torch'"),
        ("import jax\nK = jax.numpy.ones(3)\n" + RIGHT.replace("3 * x", "K * x"), 4, "No module named 'jax'"),
        ("import torch\nN = torch.e\n" + RIGHT.replace("3 * x", "x * x if N else x"), 4, "No module named 'torch'"),
    ],
)
def test_what_is_asked_for_fails_where_it_uses_a_module_that_is_not_there(
    judged: Callable[..., Report], course: str, line: int, why: str
) -> None:
    report = judged(course)
    assert (report.verdict, failure_of(report).line) == (Verdict.FAIL, line)
    assert why in failure_of(report).summary


@pytest.mark.parametrize("wrapper", ["@numba.njit\n", "@numba.njit(cache=True)\n"])
def test_what_is_asked_for_may_itself_need_a_module_that_is_not_there(
    judged: Callable[..., Report], wrapper: str
) -> None:
    report = judged(f"import numba\n{wrapper}{RIGHT}")
    assert report.verdict is Verdict.ERROR
    assert "No module named 'numba'" in failure_of(report).summary


def test_any_other_exception_at_the_top_of_a_file_still_ends_it(judged: Callable[..., Report]) -> None:
    report = judged(f"import torch\n1 / 0\n{RIGHT}")
    assert report.verdict is Verdict.ERROR
    assert "ZeroDivisionError" in failure_of(report).summary


def test_nothing_of_the_answer_is_in_the_candidate_s_process(judged: Callable[..., Report]) -> None:
    source = f"import sys\nprint([m for m in sys.modules if 'autodrill' in m or 'solution' in m])\n{RIGHT}"
    assert judged(source).output.splitlines()[0] == "[]"


def test_a_report_is_plain_json(judged: Callable[..., Report]) -> None:
    import json

    document = json.loads(json.dumps(judged("def cube_backward(g, x):\n    return g\n").as_dict(), allow_nan=False))
    assert document["verdict"] == "fail"
    assert document["failure"]["comparisons"][0]["name"] == "dx"
