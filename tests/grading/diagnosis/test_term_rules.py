"""Term rules: what they say of an answer, when they say nothing, and names that must not be said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.grading.diagnosis.mutation_messages import OF_STRUCTURE

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report

MAXIMUM = """import numpy as np


def maximum_backward(g, a, b):
    tie = np.where(a == b, g.dtype.type({tie}), 0)
    return g * ((a > b) + tie), g * ((b > a) + tie)
"""
NORMALISED = """import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits)
    p /= p.sum(axis=1, keepdims=True) + 1e-12
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))
"""


def rule_of(report: Report) -> tuple[str, str]:
    rule = report.failure.rule if report.failure else None
    return (rule.key, rule.because) if rule else ("", "")


@pytest.mark.parametrize(
    ("name", "body", "key", "words"),
    [
        (
            "var_backward",
            "return right(g, x, axis, ddof) / np.expand_dims(2 + np.tanh(x.mean(axis=axis)), axis)",
            "unknown-factor",
            "each slice along `axis` of dx is right up to a factor",
        ),
        (
            "layernorm_backward",
            "a, b, c = right(g, xhat, rstd, gamma); return a + (g * gamma)[..., :1], b, c",
            "off-by-constant",
            "all elements of each row of dx are off by the same amount",
        ),
        (
            "softmax_backward",
            "return right(g, out, axis) + out * (out * out * g).sum(axis=axis, keepdims=True)",
            "off-by-term",
            "each slice along `axis` of dx is off by a multiple of `out`",
        ),
        (
            "l2_normalize_backward",
            "return right(g, out, norm) + out * (g * out * out).sum(axis=-1, keepdims=True)",
            "off-by-term",
            "each row of dx is off by a multiple of `out`",
        ),
        (
            "matmul_backward",
            "a, b = right(g, X, W); return np.where(X > 0, a, 3 * a), b",
            "factor-in-places",
            "wherever dX is wrong, it is 3 times the right value",
        ),
        (
            "matmul_backward",
            "a, b = right(g, X, W); return np.where(X > 0, a, 0), b",
            "zero-in-places",
            "wherever dX is wrong, it is 0",
        ),
        (
            "dpo_loss_backward",
            "return [d * beta for d in right(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)]",
            "stray-factor",
            "multiplied by `beta` once too often",
        ),
    ],
)
def test_term_rule_describes_the_error_of_an_answer(
    varied: Callable[[str, str], Report], name: str, body: str, key: str, words: str
) -> None:
    found, because = rule_of(varied(name, body))
    assert found == key
    assert words in because


EPSILON = """import numpy as np


def label_smoothing_backward(g, logits, y, eps):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    q = np.full_like(logits, eps / logits.shape[1])
    q[np.arange(len(y)), y] += 1 - eps
    dp = -q / (p + 1e-12)
    return g / len(y) * p * (dp - (dp * p).sum(axis=1, keepdims=True))
"""


@pytest.mark.parametrize("seed", [0, 11])
def test_term_rule_is_silent_about_errors_close_to_the_tolerance(graded: Callable[..., Report], seed: int) -> None:
    assert rule_of(graded("label_smoothing_backward", EPSILON, seed=seed))[0] == "approximate"


def test_factor_rule_is_silent_about_a_factor_near_1(varied: Callable[[str, str], Report]) -> None:
    report = varied("matmul_backward", "a, b = right(g, X, W); return np.where(X > 0, a, (1 + 1e-5) * a), b")
    assert rule_of(report)[0] not in ("", "factor-in-places")


@pytest.mark.parametrize(
    "body",
    [
        "a, b, c = right(g, xhat, rstd, gamma); return a + (g * gamma) ** 3 * xhat, b, c",
        "a, b, c = right(g, xhat, rstd, gamma); return np.where(np.arange(len(a.T)) % 2, a, a**3), b, c",
    ],
)
def test_term_rule_is_silent_about_other_errors(varied: Callable[[str, str], Report], body: str) -> None:
    key, _ = rule_of(varied("layernorm_backward", body))
    assert key not in {"unknown-factor", "off-by-constant", "off-by-term", "factor-in-places", "zero-in-places"}


# -- names that would be untrue ----------------------------------------------------------------------------------------


def test_square_rule_needs_other_square_cases_to_fail(varied: Callable[[str, str], Report]) -> None:
    body = "d = right(g, logits, y, ignore); return d if ignore != 99 or logits.shape != (3, 3) else (d + 1) ** 2"
    report = varied("cross_entropy_ignore_index_backward", body)
    assert report.failure is not None
    assert report.failure.label == "padded with 99 · every size 3"
    assert rule_of(report)[0] != "square-only"


def test_kink_rule_names_every_class_of_inputs(graded: Callable[..., Report]) -> None:
    key, because = rule_of(graded("maximum_backward", MAXIMUM.format(tie=0.25)))
    assert key == "at-the-kink"
    assert "these classes of inputs: ties and two equal numbers" in because


def test_zero_result_of_a_scenario_is_no_contribution(graded: Callable[..., Report]) -> None:
    report = graded("bug_zero_grad", "def bug_zero_grad(w, data, lr):\n    return 0.0\n")
    assert report.failure is not None
    assert rule_of(report)[0] != "zero"


def test_one_slip_says_nothing_of_another_structure(graded: Callable[..., Report], shipped: Library) -> None:
    solution = shipped.drill(shipped.find("version_counter")).solution.source
    report = graded("version_counter", solution.replace("self.data += x", "pass"))
    assert report.failure is not None
    assert rule_of(report)[0] not in OF_STRUCTURE


def test_overflow_is_named_although_an_epsilon_shows_first(graded: Callable[..., Report]) -> None:
    assert rule_of(graded("softmax_cross_entropy_backward", NORMALISED))[0] in {"no-max-shift", "nan-where-finite"}


def test_empty_array_is_not_named_if_others_fail(graded: Callable[..., Report]) -> None:
    source = """def mul_broadcast_backward(g, a, b):
    def summed(d, shape):
        while d.ndim > len(shape):
            d = d.sum(axis=0)
        for axis, size in enumerate(shape):
            if size == 1 != d.shape[axis]:
                d = d.mean(axis=axis, keepdims=True)
        return d

    return summed(g * b, a.shape), summed(g * a, b.shape)
"""
    assert rule_of(graded("mul_broadcast_backward", source))[0] == "unknown-factor"


def test_formula_is_not_named_for_an_estimator_by_chance(graded: Callable[..., Report]) -> None:
    source = """import numpy as np


def reinforce_backward(g, logits, actions, returns, baseline):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(actions)), actions] -= 1
    return g * p * (returns - baseline)[:, None] / logits.shape[1]
"""
    assert rule_of(graded("reinforce_backward", source))[0] != "ignores-input"
