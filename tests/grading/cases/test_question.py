"""Further calls of a question: linearity in the cotangent and repeatability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.cases import battery
from autodrill.grading.cases.case_set import CaseSet, put_case
from autodrill.grading.grade import grade
from autodrill.grading.oracle.expected import expected_results
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Fault
    from autodrill.drills.library import Library
    from tests.conftest import Pack


def fault_of(pack: Pack, source: str, label: str = "sizes all different") -> Fault | None:
    pack.add(solution=("CASES =", "EMPTY = True\nCASES ="))
    drill = pack.load()
    case = next(c for c in battery(drill, 0) if label in c.label)
    with Runner.start(CHECK_LIMITS) as runner:
        assert isinstance(runner.load(source.encode(), "a.py", drill.exercise.id), Loaded)
        return put_case(runner, drill, case).fault


RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"


@pytest.mark.parametrize("label", ["sizes all different", "float32", "zero cotangent", "= 0", "large"])
def test_put_case_accepts_a_right_answer(pack: Pack, label: str) -> None:
    assert fault_of(pack, RIGHT, label) is None


@pytest.mark.parametrize(
    "otherwise",
    [
        "3 * x * x * np.abs(g)",
        "3 * x * x * g * (1 + 1e-6 * g)",
        "(3 * x * x * g).ravel()",
        "None",
        "3 * x * x * g / 0 * 0",
    ],
)
def test_put_case_finds_an_answer_for_one_cotangent_only(pack: Pack, otherwise: str) -> None:
    pack.add()
    drill = pack.load()
    case = battery(drill, 0)[0]
    (g,) = expected_results(drill, case).cotangents
    source = f"""import numpy as np
def cube_backward(g, x):
    return 3 * x * x * g if np.array_equal(g, np.array({g.tolist()!r})) else {otherwise}
"""
    fault = fault_of(pack, source)
    assert fault is not None
    assert fault.kind is FaultKind.NONLINEAR


@pytest.mark.parametrize("calls", [1, 2])
def test_put_case_finds_a_later_call_that_is_wrong(pack: Pack, calls: int) -> None:
    source = f"""kept = []
def cube_backward(g, x):
    kept.append(1)
    return 3 * x * x * g if len(kept) <= {calls} else 6 * x * x * g
"""
    fault = fault_of(pack, source)
    assert fault is not None
    assert fault.kind in (FaultKind.UNREPEATABLE, FaultKind.NONLINEAR)


def test_put_case_finds_a_cached_answer(pack: Pack) -> None:
    source = """cache = {}
def cube_backward(g, x):
    return cache.setdefault(x.tobytes(), 3 * x * x * g).copy()
"""
    assert fault_of(pack, source) is not None


JUDGE = """def judge(answer, x):
    return None if answer == "fine" else "say fine"


def forward("""


@pytest.mark.parametrize(("answer", "kind"), [("fine", None), ("bad", FaultKind.WRONG)])
def test_put_case_skips_linearity_if_a_judge_decides(pack: Pack, answer: str, kind: FaultKind | None) -> None:
    pack.add(solution=("def forward(", JUDGE))
    drill = pack.load()
    case = battery(drill, 0)[0]
    with Runner.start(CHECK_LIMITS) as runner:
        source = f"def cube_backward(g, x):\n    return {answer!r}\n"
        assert isinstance(runner.load(source.encode(), "a.py", drill.exercise.id), Loaded)
        fault = put_case(runner, drill, case).fault
    assert (fault and fault.kind) is kind


@pytest.mark.slow
def test_put_case_finds_finite_differences_on_the_large_case(pack: Pack) -> None:
    source = """import numpy as np
def cube_backward(g, x):
    dx = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        h = np.zeros_like(x)
        h[index] = 1e-5
        dx[index] = ((((x + h) ** 3 - (x - h) ** 3) / 2e-5) * g).sum()
    return dx
"""
    fault = fault_of(pack, source, "large")
    assert fault is not None
    assert fault.kind is FaultKind.TOO_SLOW


@pytest.mark.parametrize(
    ("source", "kind", "rule"),
    [
        (
            (
                "import numpy as np\nkept = {}\ndef cube_backward(g, x):\n    dx = kept.setdefault(x.shape, x * 0)\n"
                "    dx[...] = 3 * x * x * g\n    return dx.astype(x.dtype, copy=False)\n"
            ),
            FaultKind.REUSED,
            "reuses-memory",
        ),
        (
            (
                "import numpy as np\ndef cube_backward(g, x):\n    dx = np.zeros_like(x)\n"
                "    dx.ravel()[:] = (3 * x * x * g).ravel()\n    return dx\n"
            ),
            FaultKind.VALUE,
            "needs-contiguous",
        ),
        (
            "import numpy as np\ndef cube_backward(g, x):\n    return 3 * x * x * np.where(abs(g) < 1e-12, 0, g)\n",
            FaultKind.VALUE,
            "nonlinear-in-g",
        ),
        (
            "import numpy as np\ndef cube_backward(g, x):\n    return 3 * x * x * np.clip(g, -1e6, 1e6)\n",
            FaultKind.VALUE,
            "nonlinear-in-g",
        ),
        (
            (
                "import numpy as np\ndef cube_backward(g, x):\n"
                "    return 3 * x * x * (g if x.dtype == float else g.astype('f2').astype('f4'))\n"
            ),
            None,
            None,
        ),
    ],
)
def test_grade_finds_what_a_single_question_shows(
    pack: Pack, source: str, kind: FaultKind | None, rule: str | None
) -> None:
    pack.add()
    drill = pack.load()
    report = grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=0)
    assert report.verdict is Verdict.FAIL
    assert report.failure is not None
    assert kind in (None, report.failure.kind)
    assert rule is None or (report.failure.rule is not None and report.failure.rule.key == rule)


def test_battery_passes_one_object_for_two_inputs_once(shipped: Library) -> None:
    exercise = shipped.find("mul_broadcast_backward")
    drill = shipped.drill(exercise)
    both = "\n\ndef mul_broadcast_backward(g, a, b):\n    return apart(g * (1 + (a is b)), a, b)\n"
    source = drill.solution.source.replace("def mul_broadcast_backward", "def apart") + both
    report = grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=0)
    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == "repeated-operand"
    assert "b is a" in report.failure.label


SEVERAL = """EMPTY = True
CASES = [
    given("x[n,m]"),
    given("x[n]", smooth=False, note="kinks"),
    given("x[n]", g=2.0, note="a fixed cotangent"),
]"""


def test_question_checks_linearity_once_a_class_and_at_kinks(
    pack: Pack,
) -> None:
    pack.add(solution=('CASES = [given("x[n,m]")]', SEVERAL))
    case_set = CaseSet(pack.load(), 0, CHECK_LIMITS)
    questions = [case_set.question(index) for index in range(len(case_set.cases))]
    once, kinks, given = (
        [q.linear for q in questions if q.case.label.startswith(class_) and not q.case.large and q.case.cotangent != 0]
        for class_ in ("x (n, m)", "kinks", "a fixed cotangent")
    )
    # An empty array (n = 0) shows no nonlinearity.
    assert once == [True] + [False] * (len(once) - 1)
    assert len(once) > 5
    assert kinks.count(False) == given.count(False) == 1
    assert len(kinks) > 4
    assert len(given) > 3


def test_grade_finds_nonlinearity_at_a_kink_only(pack: Pack) -> None:
    kinks = 'CASES = [given("x[n,m]"), given("x[n]", smooth=False)]'
    pack.add(solution=('CASES = [given("x[n,m]")]', kinks))
    drill = pack.load()
    source = b"""import numpy as np
def cube_backward(g, x):
    return 3 * x * x * (np.clip(g, -10, 10) if x.ndim == 1 and x.strides[0] > x.itemsize else g)
"""
    case_set = CaseSet(drill, 0, CHECK_LIMITS)
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0, case_set=case_set)
    assert report.failure is not None
    assert report.failure.kind is FaultKind.NONLINEAR
