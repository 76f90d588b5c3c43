"""The line and the operation that make an infinity or a NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Report

SILU = """
import numpy as np


def silu_backward(g, x):
    e = np.exp(-x)
    s = 1 / (1 + e)
    return g * (s + x * s * (1 - s)){}
"""


def because(report: Report) -> str:
    assert report.failure is not None, report
    assert report.failure.rule is not None
    return report.failure.rule.because


def test_operation_is_named_with_the_overflow_before_it(graded: Callable[..., Report]) -> None:
    words = because(graded("silu_backward", SILU.format(" + e / (1 + e) * 0 * e")))
    assert words == "a quotient on line 8 is 0/0 or ∞/∞; before that, `exp` on line 6 overflows"


def test_harmless_overflow_is_not_blamed(graded: Callable[..., Report]) -> None:
    assert graded("silu_backward", SILU.format("")).verdict == "pass"


def test_difference_of_infinities_is_named(graded: Callable[..., Report]) -> None:
    assert because(graded("silu_backward", SILU.format(" + (e - e)"))).startswith("line 8 subtracts ∞ from ∞; before")


def test_own_errstate_may_hide_the_operation(graded: Callable[..., Report]) -> None:
    source = SILU.format(" + (e - e)").replace("    return", "    with np.errstate(all='ignore'):\n        return")
    assert because(graded("silu_backward", source)).startswith("an intermediate value is inf or 0/0")
