"""Place rules: where an answer is wrong, and formulas of several cotangents or rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.answer_records import Expected, Fault, FaultKind, Part
from autodrill.drills.case import Case
from autodrill.grading.cases.question import Observation
from autodrill.grading.diagnosis.value_region import value_region
from autodrill.sandbox.outcomes import Returned

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Report


@pytest.fixture
def rule_of_variant(varied: Callable[[str, str], Report]) -> Callable[[str, str], tuple[str, str]]:
    """Return the rule's key and words for a function that calls the worked solution, as `right`."""

    def rule_of_variant(name: str, body: str) -> tuple[str, str]:
        report = varied(name, body)
        rule = report.failure.rule if report.failure else None
        return (rule.key, rule.because) if rule else ("", "")

    return rule_of_variant


@pytest.mark.parametrize(
    ("name", "body", "key", "words"),
    [
        (
            "sin_cos_backward",
            "return (gs + gc) * (np.cos(x) - np.sin(x))",
            "cross-terms",
            "every output gets the sum of both upstream gradients",
        ),
        (
            "linear_scan_backward",
            "da, db, dh = right(g, a, b, h0, hs)\n    da[:1] += (h0 - 7) * db[:1]\n    return da, db, dh",
            "edge-only",
            "only the first row of da is wrong",
        ),
        (
            "jacobian_cheapest_mode",
            "J = right(jvp, vjp, n_in, n_out)\n    return np.cumsum(J, axis=1 if n_in < n_out else 0)",
            "running-sum",
            "each row or column is the right one plus all earlier ones",
        ),
        (
            "var_backward",
            "y = np.float32(x)\n    return right(g, y, axis, ddof).astype(x.dtype)",
            "approximate",
            None,
        ),
    ],
)
def test_place_rule_says_what_every_case_shows(
    rule_of_variant: Callable[[str, str], tuple[str, str]], name: str, body: str, key: str, words: str | None
) -> None:
    found = rule_of_variant(name, body)
    assert found[0] == key, found
    assert words in (None, found[1])


def test_place_rule_names_the_value_that_is_zero(graded: Callable[..., Report]) -> None:
    ratio = "(out.data / {0}.data if {0}.data else 0.0)"
    lines = [f"{name}.grad += out.grad * {ratio.format(name)}" for name in ("self", "other")]
    report = graded("mul_backward", "def mul_backward(self, other, out):\n    " + "\n    ".join(lines) + "\n")
    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.because == "self.grad is wrong only where `self.data` is 0 or nearly 0"


def test_place_rule_is_silent_about_scattered_errors(
    rule_of_variant: Callable[[str, str], tuple[str, str]],
) -> None:
    body = "dx = right(gs, gc, x)\n    return dx + np.sin(37 * x) * gs * gc / (1 + np.abs(gs * gc))"
    assert rule_of_variant("sin_cos_backward", body)[0] not in {
        "cross-terms",
        "edge-only",
        "running-sum",
        "wrong-where",
        "approximate",
    }


SATURATED = """
import math

import numpy as np


def gelu_backward(g, x):
    erf = np.vectorize(math.erf, otypes=[x.dtype])
    slope = (1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    slope = np.where({} > 4, x > 0, slope)
    return g * slope.astype(x.dtype)
"""


@pytest.mark.parametrize(("distance", "most"), [("np.abs(x)", "±"), ("x", "")])
def test_place_rule_names_the_values_of_another_formula(
    graded: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, distance: str, most: str
) -> None:
    monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)
    report = graded("gelu_backward", SATURATED.format(distance))
    assert report.failure is not None
    assert report.failure.rule is not None
    found = re.fullmatch(
        rf"where `x` is between about {most}([0-9.]+) and {most}([0-9.]+), dx is right to \d digits only",
        report.failure.rule.because,
    )
    assert found, report.failure.rule
    assert 4 <= float(found[1]) < float(found[2]) <= 8  # beyond 8 the slope is 0 or 1 to rounding


def _seen(x: np.ndarray, got: np.ndarray, right: np.ndarray) -> Observation:
    part = Part("dx", right, np.full(right.shape, 1e-9), right.dtype)
    wrong = bool(np.any(np.abs(got - right) > 1e-9))
    fault = Fault(FaultKind.VALUE, "dx is wrong") if wrong else None
    return Observation(Case("x", {"x": x}), Expected((part,)), Returned(got), (got,), (wrong,), fault)


@pytest.mark.parametrize(
    ("is_wrong", "words"),
    [
        (lambda x: x > 6, "`x` is about 6.1 or more"),
        (lambda x: x < -6, "`x` is about -6.1 or less"),
        (lambda x: np.abs(x) > 6, "`x` is about ±6.1 or beyond"),
        (lambda x: (x > 2) & (x < 3), "`x` is between about 2.1 and 2.9"),
        (lambda x: np.sin(40 * x) > 0, None),
    ],
)
def test_value_region_holds_the_wrong_values_alone(is_wrong: Callable[..., np.ndarray], words: str | None) -> None:
    x = np.arange(-80, 81) / 10
    seen = [_seen(x, np.where(is_wrong(x), 2.0, 1.0), np.ones_like(x))] * 2
    region = value_region(seen, [])
    assert (region and region.values) == words


def test_value_region_is_none_if_whole_cases_are_wrong() -> None:
    low, high = np.linspace(-5, 5, 20), np.linspace(900, 1000, 20)
    seen = [_seen(low, np.full(20, 2.0), np.ones(20))] * 2
    assert value_region(seen, [_seen(high, np.ones(20), np.ones(20))]) is None
