"""Exception details: shapes, sizes and options that the words of a rule name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Report

LOGSUMEXP = """import numpy as np


def logsumexp_backward(g, x, out, axis=-1):
    {}
"""
SUM = """import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    {}
"""


def because(report: Report) -> str:
    assert report.failure is not None
    assert report.failure.rule is not None
    return report.failure.rule.because


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "return g[..., None] * np.exp(x - out[..., None])",
            "axis 0 of (2, 3) was reduced and put back at the wrong place: (3, 1) must be (1, 3)",
        ),
        (
            "return g * np.exp(x - out)",
            "axis 1 of (2, 3) was reduced and not put back: (2,) must become (2, 1)",
        ),
        (
            "return np.broadcast_to(np.zeros((2, 1)), (2, 5, 7))",
            "shapes align from the right: (2, 1) does not fit (2, 5, 7), but (2, 1, 1) would",
        ),
        (
            "return np.zeros((1, 2, 3, 2)) * np.zeros((3, 1, 2))",
            "shapes align from the right: (3, 1, 2) does not fit (1, 2, 3, 2), but (3, 2) would",
        ),
        ("return np.zeros(6).reshape(2, 4)", "the array has 6 elements, and the shape (2, 4) needs 8"),
        ("return np.zeros(5).reshape(-1, 2)", "the array has 5 elements, and 5 is not a multiple of 2"),
        ("return np.zeros(5).reshape(2, -1)", "the array has 5 elements, and 5 is not a multiple of 2"),
        ("return np.zeros((0, 2)).reshape(0, -1)", "a `-1` in a shape cannot be worked out for an empty array"),
        ("return np.zeros((2, 0)).reshape(-1, 0)", "a `-1` in a shape cannot be worked out for an empty array"),
        ("return np.vdot(np.zeros(2), np.zeros(4))", "the two arrays of `np.vdot` must have equally many"),
        ("return np.zeros((2, 3)) @ np.zeros((2, 3))", "the inner sizes of a matrix product must agree, and here they"),
        ("return np.sum(np.zeros((2, 3)), axis=5)", "the array has 2 axes at this point, so it has no axis 5"),
        ("return (1.0).item()", "a value of the type `float` has no attribute `item`"),
        ("import math; return math.log(-1.0)", "`math.log` needs an argument above 0"),
    ],
)
def test_details_name_the_shapes_of_an_exception(graded: Callable[..., Report], body: str, words: str) -> None:
    found = because(graded("logsumexp_backward", LOGSUMEXP.format(body)))
    assert found.startswith(words)


def test_details_name_an_option_that_counts_as_false(
    graded: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)
    body = "if not axis: return np.full(x_shape, g.item(), dtype=g.dtype)\n    return np.array(np.broadcast_to("
    body += "g if keepdims else np.expand_dims(g, axis), x_shape))"
    found = because(graded("sum_backward", SUM.format(body)))
    assert found == "the answer is wrong only if `axis` is 0 or (), which `if` takes for false"


def test_details_claim_nothing_if_both_shapes_are_whole(graded: Callable[..., Report]) -> None:
    found = because(graded("logsumexp_backward", LOGSUMEXP.format("return np.zeros((2, 3)) + np.zeros((4, 5))")))
    assert found == "shapes align from the right, and (2, 3) does not fit (4, 5)"
