"""Two results that are one array: the report says so before it speaks of a sign or a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Report

SUB = """
import numpy as np

def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    z = beta * ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    push = np.exp(-np.logaddexp(0, z)) * (g * beta / len(z))
"""


def rule_of(report: Report) -> tuple[str, str]:
    assert report.failure is not None
    assert report.failure.rule is not None
    return report.failure.rule.key, report.failure.rule.because


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("chosen = -push\n    rejected = chosen\n    rejected *= -1\n    return chosen, rejected", 9),
        ("chosen = rejected = push\n    chosen[...] = -chosen\n    return chosen, rejected", 8),
        ("chosen = -push; rejected = chosen\n    np.negative(chosen, out=rejected)\n    return chosen, rejected", 8),
    ],
)
def test_results_that_are_one_array_are_named(graded: Callable[..., Report], body: str, line: int) -> None:
    key, because = rule_of(graded("dpo_loss_backward", f"{SUB}    {body}\n"))

    assert key == "one-array"
    assert because == f"dchosen and drejected are one array, and line {line} changes it in place"


@pytest.mark.parametrize(
    "body",
    [
        "d = push\n    return d, d",  # shared, but nothing changes it
        "d = push\n    d *= -1\n    return d, d",  # changed before it is shared
        "d = push\n    e = push.copy()\n    e *= -1\n    return e.copy(), e.copy()",  # no shared memory
    ],
)
def test_same_sign_is_not_called_one_array(graded: Callable[..., Report], body: str) -> None:
    key, _ = rule_of(graded("dpo_loss_backward", f"{SUB}    {body}\n"))

    assert key != "one-array"
