"""Shape rules and exception details: what they say of an answer, and answers of which they must say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.grading.report import Report

FULL = """import numpy as np


def full(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(i for i in range(g.ndim) if i < extra or shape[i - extra] == 1)
    return g.sum(axis=axes, keepdims=True).reshape(shape)


def unbroadcast(g, shape):
    {}
"""
LEADING = """def leading(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


def mul_broadcast_backward(g, a, b):
    return leading(g * b, a.shape), leading(g * a, b.shape)
"""
STRETCHED = """axes = tuple(i for i in range(-len(shape), 0) if shape[i] == 1)
    return g.sum(axis=axes, keepdims=True) if axes else g.copy()"""
LEFT = """g = g.sum(axis=tuple(range(len(shape), g.ndim)))
    return g.sum(axis=tuple(i for i in range(len(shape)) if shape[i] == 1), keepdims=True)"""


@pytest.mark.parametrize(
    ("body", "key", "words"),
    [
        (STRETCHED, "not-summed", "a leading axis that broadcasting added is not summed"),
        (LEFT, "aligned-left", "the shapes are aligned from the left, so the wrong axes are summed"),
        ("return full(g, shape).T.copy()", "transposed", None),
        (
            "return g if g.size == full(g, shape).size > 0 and len(shape) == 0 else full(g, shape)",
            "lost-axis",
            "the numbers are right, but an axis of size 1 is missing or added",
        ),
        ("return full(g, shape)[..., :-1] if shape else full(g, shape)", "cut-off", None),
        ("out = full(g, shape)\n    return np.concatenate([out, out]) if shape else out", "extended", None),
        ("out = full(g, shape)\n    return out[:, None] + 0 * out if len(shape) == 1 else out", "repeated", None),
        (
            "out = full(g, shape)\n    return out[:, None] * out if len(shape) == 1 else out",
            "broadcast-too-far",
            "the right shape of dx broadcasts to the returned shape, so an operand probably has an axis too many",
        ),
        ("out = full(g, shape)\n    return out.sum(axis=0) if len(shape) > 1 else out", "summed-too-far", None),
        ("return full(g, shape).ravel()[:2] * 3.7 + 1 if len(shape) > 1 else full(g, shape)", "shape", None),
    ],
)
def test_shape_rule_names_what_happened_to_the_shape(
    graded: Callable[..., Report], body: str, key: str, words: str | None
) -> None:
    report = graded("unbroadcast", FULL.format(body))
    assert report.failure is not None
    rule = report.failure.rule
    assert rule is not None
    assert rule.key == key
    assert words in (None, rule.because)


def test_shape_rule_names_the_axes_that_are_not_summed(graded: Callable[..., Report]) -> None:
    report = graded("mul_broadcast_backward", LEADING)
    assert report.failure is not None
    assert report.failure.rule is not None
    words = "an axis of size 1 that broadcasting stretched is not summed"
    assert report.failure.rule.because == words


ZEROS = """import numpy as np


def crf_logz_backward(g, em, trans):
    alpha, beta = em.copy(), np.zeros_like(em)
    for t in range(1, len(em)):
        alpha[t] += np.logaddexp.reduce(alpha[t - 1][:, None] + trans, axis=0)
    for t in reversed(range(1, len(em))):
        beta[t - 1] = np.logaddexp.reduce(trans + (em[t] + beta[t]), axis=1)
    z = np.logaddexp.reduce(alpha[-1])
    dtrans = np.zeros_like(trans) if len(em) > 1 else np.zeros({})
    for t in range(1, len(em)):
        dtrans += g * np.exp(alpha[t - 1][:, None] + trans + (em[t] + beta[t]) - z)
    return g * np.exp(alpha + beta - z), dtrans
"""


@pytest.mark.parametrize("shape", ["len(trans)", "(2, *trans.shape)", "(len(trans) + 1, len(trans))"])
def test_zeros_are_no_sum_and_no_copy_of_zeros(graded: Callable[..., Report], shape: str) -> None:
    report = graded("crf_logz_backward", ZEROS.format(shape))
    assert report.failure is not None
    assert report.failure.summary.startswith("dtrans must have trans's shape")
    assert report.failure.rule is None or report.failure.rule.key in {"shape", "broadcast-too-far"}
