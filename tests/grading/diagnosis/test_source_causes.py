"""Causes that the source shows: a clip, one maximum for all rows, a small number that is added, an inexact test."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.diagnosis.source_causes import with_cause
from autodrill.grading.report import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report


def failure_of(report: Report) -> Failure:
    assert report.failure is not None
    return report.failure


@pytest.mark.parametrize("shift", ["s - s.max()", "s - np.max(s)", "s - (top := s.max())"])
def test_line_with_the_maximum_of_the_whole_array_is_shown(
    graded: Callable[..., Report], shipped: Library, shift: str
) -> None:
    right = shipped.drill(shipped.find("mla_backward")).solution.source

    source = right.replace("s - s.max(axis=-1, keepdims=True)", shift)

    assert source != right
    failure = failure_of(graded("mla_backward", source))
    assert failure.rule is not None
    assert failure.rule.key == "nan-where-finite"
    assert "the maximum of the whole array" in failure.rule.hint
    assert failure.code == f"e = np.exp({shift})"


def test_maximum_of_each_row_is_not_shown(graded: Callable[..., Report], shipped: Library) -> None:
    right = shipped.drill(shipped.find("mla_backward")).solution.source

    source = right.replace(
        "e = np.exp(s - s.max(axis=-1, keepdims=True))", "e = np.exp(s - s.max(-1)[..., None]) * np.nan"
    )

    failure = failure_of(graded("mla_backward", source))
    assert failure.rule is None or "the whole array" not in failure.rule.hint


def test_clip_is_not_called_a_series_cut_off(graded: Callable[..., Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)
    source = """
import numpy as np

def mish_backward(g, x):
    x = np.clip(x, -10, 10)
    t = np.tanh(np.logaddexp(0, x))
    return g * (t + x * (1 - t**2) * np.exp(-np.logaddexp(0, -x)))
"""
    failure = failure_of(graded("mish_backward", source))

    assert failure.rule is not None
    assert failure.rule.hint == "line 5: `clip` changes values beyond its bounds"
    assert "series" not in failure.rule.because


@pytest.mark.parametrize(("added", "hint"), [("1e-6", ""), ("1e-5", "this adds 1e-5")])
def test_small_number_of_the_worked_solution_is_not_blamed(
    graded: Callable[..., Report], shipped: Library, added: str, hint: str
) -> None:
    right = shipped.drill(shipped.find("prenorm_residual_backward")).solution.source
    source = right.replace("keepdims=True) + EPS)", f"keepdims=True) + {added})")
    source = source.replace("return dx, dgamma", "return dx * (1 + x.dtype.type(2) ** -12), dgamma")

    assert source.count(added) > right.count(added)
    failure = failure_of(graded("prenorm_residual_backward", source))
    assert failure.rule is not None
    assert ("this adds" in failure.rule.hint) == bool(hint)
    assert hint in failure.rule.hint


def test_line_that_adds_a_small_number_is_shown(varied: Callable[[str, str], Report]) -> None:
    body = "scale = np.tanh(x.mean(axis=axis, keepdims=True)) + 1e-1\n    return right(g, x, axis, ddof) / (1 + scale)"

    failure = failure_of(varied("var_backward", body))

    assert failure.rule is not None
    assert failure.rule.key == "unknown-factor"
    assert failure.rule.hint.endswith("this adds 1e-1. Does the task's formula contain this number?")
    assert failure.code == "scale = np.tanh(x.mean(axis=axis, keepdims=True)) + 1e-1"


def test_line_with_an_inexact_test_is_shown(graded: Callable[..., Report]) -> None:
    source = """
import numpy as np

def maximum_backward(g, a, b):
    tie = np.isclose(a, b, rtol=1e-8, atol=0)
    da = np.where(tie, 0.25 * g, np.where(a > b, g, 0))
    return np.where(a == b, g / 2, da), np.where(a == b, g / 2, g - da)
"""
    failure = failure_of(graded("maximum_backward", source))

    assert failure.rule is not None
    assert failure.rule.key == "at-the-kink"
    assert failure.rule.hint == "line 5: `isclose` treats nearly equal numbers as equal. Does the task?"


def test_lines_made_of_digits_are_searched_fast() -> None:
    """A search that tries every part of a long number takes more than a minute for these lines."""
    failure = Failure(FaultKind.VALUE, "dx is wrong", rule=Rule("approximate", "digits are lost", "where?"))
    line = "X = '" + "max(" * 20 + "1" * 210 + "'\n"
    started = time.process_time()
    assert with_cause(failure, line * 200, "") == failure
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("bound", "hint"), [(40, "line 9: this treats values beyond a threshold in another way"), (9, "")]
)
def test_threshold_is_blamed_unless_a_clip_may_be(
    graded: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, bound: int, hint: str
) -> None:
    monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)
    clip = "    z = np.clip(x, -9, 9)" if bound == 9 else "    z = x"
    source = f"""
import math
import numpy as np

def gelu_tanh_backward(g, x):
{clip}
    t = np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))
    slope = (1 + t + z * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 0.134145 * z * z)) / 2
    return (g * np.where(abs(x) > 4, x > 0, slope)).astype(x.dtype)
"""
    rule = failure_of(graded("gelu_tanh_backward", source)).rule
    assert rule is not None
    assert rule.because.startswith("where `x` is ")
    assert (rule.hint == hint) is bool(hint)
