"""Answers with too few digits or the wrong dtype, and answers that hide NaN: each fails, and says what it lacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.cases import battery
from autodrill.drills.exercise import starting_file
from autodrill.grading.report import Verdict
from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.exercise import Drill
    from autodrill.grading.report import Failure, Report

DRILLS = [SHIPPED.drill(SHIPPED.find(heading.id)) for heading in SHIPPED.headings()]
PYTHON = [d for d in DRILLS if d.kind.linear and not d.kind.on_device and not d.solution.drive]
SINGLE = [d for d in PYTHON if any(case.dtype == "float32" for case in battery(d, 0))]
SPOILED = [d for d in DRILLS if d.kind.linear and any(case.spoiled for case in battery(d, 0))]

WRAPPED = """

import numpy as _np


def _half(a):
    if not isinstance(a, _np.ndarray | _np.generic) or a.dtype != _np.float32:
        return a
    power = int(_np.frexp(_np.max(_np.abs(a), initial=0, where=_np.isfinite(a)))[1])
    return _np.ldexp(_np.ldexp(a, -power).astype(_np.float16).astype(a.dtype), power)


def _every(change, values):
    if isinstance(values, dict):
        return {key: _every(change, value) for key, value in values.items()}
    return tuple(change(v) for v in values) if isinstance(values, tuple) else change(values)


_right = NAME


def NAME(*given):
    return BODY
"""
RESULTS = "_every(_half, _right(*given))"
ARGUMENTS = "_right(*(_every(_half, v) if isinstance(v, _np.ndarray) else v for v in given))"
NO_NAN = (
    "_every(lambda v: _np.asarray(_np.nan_to_num(v), v.dtype) if isinstance(v, _np.ndarray) else v, _right(*given))"
)


def wrapped(drill: Drill, body: str) -> str:
    """Return the worked solution with its arguments or results changed."""
    name = drill.exercise.entry.split()[-1]
    return drill.solution.source + WRAPPED.replace("NAME", name).replace("BODY", body)


def failure_of(report: Report) -> Failure:
    assert report.verdict is Verdict.FAIL, report
    assert report.failure is not None
    return report.failure


def rule_of(report: Report) -> tuple[str, str, str]:
    rule = failure_of(report).rule
    assert rule is not None, report
    return rule.key, rule.because, rule.hint


@pytest.mark.parametrize("drill", SINGLE, ids=lambda d: d.exercise.id)
def test_half_precision_results_fail(graded: Callable[..., Report], drill: Drill) -> None:
    assert rule_of(graded(drill.exercise.id, wrapped(drill, RESULTS)))[0] == "half-precision"


@pytest.mark.parametrize("drill", SINGLE, ids=lambda d: d.exercise.id)
def test_half_precision_arguments_fail(graded: Callable[..., Report], drill: Drill) -> None:
    failure_of(graded(drill.exercise.id, wrapped(drill, ARGUMENTS)))


@pytest.mark.parametrize("name", ["matmul_backward", "mul_broadcast_backward", "softmax_backward"])
def test_half_precision_arguments_are_named(graded: Callable[..., Report], name: str) -> None:
    drill = SHIPPED.drill(SHIPPED.find(name))
    assert rule_of(graded(name, wrapped(drill, ARGUMENTS)))[0] in {"half-precision", "approximate"}


@pytest.mark.parametrize(
    "drill", [d for d in SPOILED if not (d.kind.on_device or d.solution.drive)], ids=lambda d: d.exercise.id
)
def test_hidden_nan_fails(graded: Callable[..., Report], drill: Drill) -> None:
    own = {"nan-cleared"} & {mistake.key for mistake in drill.solution.mistakes}
    assert rule_of(graded(drill.exercise.id, wrapped(drill, NO_NAN)))[0] in {"hides-nan", *own}


def test_hidden_nan_fails_in_a_function_with_a_context(graded: Callable[..., Report]) -> None:
    source = SHIPPED.drill(SHIPPED.find("swiglu_packed_function")).solution.source
    right = "return np.concatenate([da, db], axis=-1)"
    assert source.count(right) == 1
    hidden = source.replace(right, "return np.nan_to_num(np.concatenate([da, db], axis=-1))")
    assert rule_of(graded("swiglu_packed_function", hidden))[0] == "hides-nan"


@pytest.mark.parametrize("drill", SPOILED, ids=lambda d: d.exercise.id)
def test_task_says_that_nan_is_graded(drill: Drill) -> None:
    assert "NaN" in starting_file(drill.exercise)


@pytest.mark.parametrize("drill", SINGLE, ids=lambda d: d.exercise.id)
def test_task_says_that_the_dtype_is_graded(drill: Drill) -> None:
    if drill.exercise.id == "label_graph":
        pytest.skip("its results are numbers of any dtype")
    assert "dtype" in starting_file(drill.exercise)


LINEAR = "import numpy as np\n\n\ndef matmul_backward(g, X, W):\n    {}\n    return {}\n"


@pytest.mark.parametrize(
    ("first", "result", "line", "words"),
    [
        ("dX = np.zeros(X.shape)", "dX + g @ W.T, X.T @ g", 5, "`np.zeros` makes a float64 array"),
        ("one = np.eye(len(X))", "one @ g @ W.T, X.T @ g", 5, "`np.eye` makes a float64 array"),
        ("n = np.sqrt(X.shape[0])", "(g @ W.T) * n / n, X.T @ g", 5, "`np.sqrt` of a Python number"),
        ("n = np.sqrt(2 / np.pi)", "(g @ W.T) * n / n, X.T @ g", 5, "`np.sqrt` of a Python number"),
        ("n = (X == X).sum()", "(g @ W.T) * n / np.asarray(n), X.T @ g", 5, "a count by `.sum()` is an int64"),
        ("up = g.astype(float)", "up @ W.T, X.T @ g", 5, "this makes the array float64"),
        ("s = np.where(X > 9, -1.0, 1.0)", "s * (g @ W.T), X.T @ g", 5, "`np.where` of two Python numbers"),
        ("s = np.array([1.0])", "s * (g @ W.T), X.T @ g", 5, "`np.array` turns a list of Python numbers"),
        ("n = np.sqrt(len(X))\n    n /= np.sqrt(len(X))", "(g @ W.T) * n, X.T @ g", None, "the lines 5, 6 make"),
        ("n = np.array(1.0)", "(g @ W.T) * n * np.float32(1), X.T @ g", None, "an array made of Python numbers"),
    ],
)
def test_cause_of_a_wider_dtype_is_named_if_it_is_clear(
    graded: Callable[..., Report], first: str, result: str, line: int | None, words: str
) -> None:
    report = graded("matmul_backward", LINEAR.format(first, result))
    failure = failure_of(report)
    assert failure.kind is FaultKind.DTYPE
    assert failure.summary.startswith("all values right; `dX`")
    assert failure.line == line
    assert words in rule_of(report)[2]


SLOPE = "import numpy as np\n\n\ndef sin_cos_backward(gs, gc, x):\n    {}\n    return {}\n"


@pytest.mark.parametrize(
    ("first", "result", "looks", "hint"),
    [
        (
            "h = 1e-6",
            "gs * (np.sin(x + h) - np.sin(x - h)) / (2 * h) - gc * np.sin(x)",
            "a difference of nearly equal numbers",
            "line 6: this is a difference quotient",
        ),
        (
            "y = x.astype('f4').astype(x.dtype)",
            "gs * np.cos(y) - gc * np.sin(y)",
            "a step in float32",
            "line 5: this rounds to fewer bits",
        ),
        (
            "tiny = 0",
            "(gs * np.cos(x) - gc * np.sin(x)) / (np.sqrt(np.cos(x) ** 2 + np.sin(x) ** 2) + 1e-5)",
            "an added epsilon",
            "line 6: this adds 1e-5",
        ),
    ],
)
def test_nearly_right_says_what_it_looks_like(
    graded: Callable[..., Report], first: str, result: str, looks: str, hint: str
) -> None:
    key, because, named = rule_of(graded("sin_cos_backward", SLOPE.format(first, result)))
    assert key == "approximate"
    assert re.match(r"right to \d+ digits only, worst in dx\[\d+(, \d+)*\]; the likely cause is ", because)
    assert looks in because
    assert named == hint


def test_nearly_right_names_fifty_iterations(graded: Callable[..., Report]) -> None:
    source = (
        "import numpy as np\n\n\ndef fixed_point_backward(g, z, W, U, x):\n    slope, adjoint = 1 - z**2, g\n"
        "    for _ in range(50):\n        adjoint = g + W.T @ (slope * adjoint)\n    q = adjoint * slope\n"
        "    return np.outer(q, z), np.outer(q, x), U.T @ q\n"
    )
    assert rule_of(graded("fixed_point_backward", source))[0] == "fifty-terms"


def test_term_without_tangent_speaks_of_the_tangent(graded: Callable[..., Report]) -> None:
    source = (
        "import numpy as np\n\n\ndef softmax_jvp(x, v):\n    p = np.exp(x - x.max(-1, keepdims=True))\n"
        "    p /= p.sum(-1, keepdims=True)\n    return p * v - p\n"
    )
    assert rule_of(graded("softmax_jvp", source))[:2] == (
        "term-without-tangent",
        "dout is not 0 although the tangent is 0",
    )
