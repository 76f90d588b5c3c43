"""The repair search: a wrong answer that one small change makes right, and the line it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Rule
    from autodrill.grading.report import Report

LEAKY = """
import numpy as np


def leaky_relu_backward(g, x, alpha):
    below = x {} 0
    return np.where(x > 0, g, np.where(below, alpha * g, 0)).astype(x.dtype)
"""
GLU = """
import numpy as np


def glu_backward(g, x):
    a, b = np.split(x, 2, axis=-1)
    slope = 1 / (1 + np.exp(-{}))
    return np.concatenate([g * slope, g * a * slope * (1 - slope)], axis=-1)
"""
SOFTMAX = """
import numpy as np


def distillation_kl_backward(g, student, teacher, T):
    def softmax(z):
        e = np.exp(z - {})
        return e / e.sum(axis=-1, keepdims=True)

    s, t = softmax(student / T), softmax(teacher / T)
    return (g * T * (s - t) / student.shape[0]).astype(student.dtype)
"""
SOFTCAP = """
def softcap_backward(self, out, c):
    y = out.data
    self.grad += (1 - y * y / c) * out.grad
"""
MAXPOOL = """
import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for i, j in np.ndindex(g.shape):
        rows, columns = slice(i * stride, i * stride + k), slice(j * stride, j * stride + k)
        window = x[rows, columns]
        first = np.argmax(np.isclose(window, window.max()))
        dx[rows, columns][divmod(first, k)] += g[i, j]
    return dx
"""
RELU = """
def relu_backward(self, out):
    if self.data > 1e-7:
        self.grad += out.grad
"""
TIED = """
import numpy as np


def tied_embedding_backward(g, E, ids):
    h = E[ids].mean(axis=0)
    dE = np.outer(g, h)
    dE[ids] += E.T @ g / len(ids)
    return dE
"""
BY_CLASSES = SOFTMAX.format("z.max(axis=-1, keepdims=True)").replace("student.shape[0]", "C")
BY_CLASSES = BY_CLASSES.replace("    s, t =", "    N, C = student.shape\n    s, t =")


@pytest.fixture(autouse=True)
def without_known_mistakes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the known mistakes, except in the test about them: they come first."""
    if "known" not in request.node.name:
        monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)


def rule_of(report: Report) -> Rule | None:
    assert report.failure is not None, report
    return report.failure.rule


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("leaky_relu_backward", LEAKY.format("<"), "the comparison on line 6 decides wrongly for equal values"),
        ("glu_backward", GLU.format("np.clip(b, -9, 9)"), "`clip` on line 7 changes values that must stay as they"),
        ("distillation_kl_backward", SOFTMAX.format("z.max()"), "line 7 works along the wrong axis, or over too many"),
        ("maxpool2d_backward", MAXPOOL, "line 10 treats nearly equal values as equal"),
        ("relu_backward", RELU, "the small constant on line 3 changes the results"),
        ("softcap_backward", SOFTCAP, "line 4 lacks a factor or a division"),
        ("tied_embedding_backward", TIED, "line 8 keeps one contribution of an index that occurs several times"),
        ("distillation_kl_backward", BY_CLASSES, "line 12 uses a wrong variable"),
    ],
)
def test_faulty_line_is_named(graded: Callable[..., Report], name: str, source: str, words: str) -> None:
    rule = rule_of(graded(name, source))
    assert rule is not None
    assert rule.because.startswith(words)
    assert rule.because.endswith("; with one change there, every small case is right")


def test_repair_is_not_quoted(graded: Callable[..., Report]) -> None:
    rule = rule_of(graded("leaky_relu_backward", LEAKY.format("<")))
    assert rule is not None
    assert "<" not in rule.because + rule.hint


def test_known_mistake_is_named_rather_than_a_line(graded: Callable[..., Report]) -> None:
    rule = rule_of(graded("leaky_relu_backward", LEAKY.format("<").replace("alpha * g, 0", "alpha * g, g")))
    assert rule is not None
    assert rule.known


def test_endless_loop_in_a_change_does_not_end_the_search(graded: Callable[..., Report]) -> None:
    loop = "i = 0\n    while i < 3:\n        i += 1\n    below = x < 0"
    rule = rule_of(graded("leaky_relu_backward", LEAKY.format("<").replace("below = x < 0", loop)))
    assert rule is not None
    assert rule.because.startswith("the comparison on line 9 decides wrongly for equal values")
