"""Place rules: where an answer is wrong, and formulas of several cotangents or rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
