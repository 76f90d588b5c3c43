"""The tape of a failing case: its gradients against closed forms, and the step that explains a wrong answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.grading.grade import grade
from autodrill.grading.submission import Submission

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Failure
    from tests.conftest import Pack

    Drawn = Callable[[str, str], Failure]

ANSWERS = Path(__file__).parents[2] / "corpus" / "answers"

ATTENTION = """
def attention_backward(g, q, k, v, p):
    dp = g @ v.mT
    ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True)) {}
    return {}
"""
ROOT, RESULTS = "/ q.shape[-1] ** 0.5", "ds @ k, ds.mT @ q, p.mT @ g"


@pytest.fixture
def drawn(shipped: Library) -> Drawn:
    """Grade a wrong answer to a shipped exercise, and return its failure with the tape."""

    def drawn(name: str, source: str) -> Failure:
        submission = Submission(source.encode(), f"{name}.py", f"{name}.py")
        report = grade(shipped.drill(shipped.find(name)), submission, seed=1, draw=True)
        assert report.failure is not None, report.detail
        return report.failure

    return drawn


def of_corpus(name: str, answer: str) -> str:
    return (ANSWERS / name / "wrong" / f"{answer}.py").read_text(encoding="utf-8")


def words(failure: Failure) -> list[str]:
    return [step.broken for step in failure.tape if step.broken]


def test_tape_has_the_gradients_of_a_graph(drawn: Drawn) -> None:
    """a = x + y; b = a · x; out = b + ..., as the task of `label_graph` draws it: db/dx = a + x = 7 at (3, 1)."""
    failure = drawn("label_graph", of_corpus("label_graph", "no_fan_out"))
    assert failure.given == {"x": "3", "y": "1"}
    by_name = {step.name: step for step in failure.tape}
    assert [by_name[name].right for name in ("x", "y", "a", "b")] == ["7", "3", "3", "1"]
    assert (by_name["x"].yours, by_name["x"].wrong, by_name["y"].wrong) == ("3", True, False)
    assert words(failure) == ["v3 passed no gradient to x"]
    assert (by_name["v3"].operation, by_name["v3"].operands) == ("multiply", ("v2", "x"))


@pytest.mark.parametrize(
    ("name", "answer", "broken"),
    [
        ("batchnorm_backward", "mean_path_missing", "v2 passed no gradient to v1"),
        ("batchnorm_backward", "variance_path_missing", "v8 passed no gradient to v7"),
        ("softmax_cross_entropy_backward", "sign", "the gradient that v2 passes to v1 had the wrong sign"),
        ("dpo_loss_backward", "both_answers_counted", "the gradient that v7 passes to v6 were multiplied by 0.5"),
    ],
)
def test_wrong_step_of_a_whole_answer_is_found(drawn: Drawn, name: str, answer: str, broken: str) -> None:
    assert words(drawn(name, of_corpus(name, answer))) == [broken]


def test_skipped_scale_is_found_in_attention(drawn: Drawn) -> None:
    failure = drawn("attention_backward", ATTENTION.format("", RESULTS))
    (step,) = [step for step in failure.tape if step.broken]
    assert step.operands == ("w2", "0.707")
    assert step.broken == "w3 passed its gradient to w2 unchanged"


@pytest.mark.parametrize(
    "source",
    [
        ATTENTION.format(ROOT, "ds @ k + 1, ds.mT @ q, p.mT @ g"),
        ATTENTION.format(ROOT, "ds @ k, ds.mT @ q, p.mT @ g * abs(g).max()"),
        ATTENTION.format(ROOT, "ds @ k"),
    ],
)
def test_no_step_is_blamed_for_other_faults(drawn: Drawn, source: str) -> None:
    failure = drawn("attention_backward", source)
    assert len(failure.tape) == 8
    assert words(failure) == []


def test_tape_of_two_outputs_ends_in_their_sum(drawn: Drawn) -> None:
    failure = drawn("sin_cos_backward", of_corpus("sin_cos_backward", "second_upstream_dropped"))
    assert failure.tape[-1].right == "1"
    assert len(words(failure)) == 1


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("softmax_jvp", "def softmax_jvp(x, dx, axis):\n    return dx\n", "asks for a tangent"),
        ("topological_sort", "def topological_sort(root):\n    return [root]\n", "no formula"),
        ("mul_backward", of_corpus("mul_backward", "square_forgets_upstream"), "one gradient for each input"),
        ("flash_attention_backward", of_corpus("flash_attention_backward", "mask_of_booleans"), "only a large case"),
    ],
)
def test_exercise_without_a_tape_says_why(drawn: Drawn, name: str, source: str, why: str) -> None:
    failure = drawn(name, source)
    assert failure.tape == ()
    assert why in failure.no_tape


def test_long_forward_is_not_drawn(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return sum((x for _ in range(62)), 0 * x)"))
    answer = Submission(b"def cube_backward(g, x):\n    return g\n", "a.py", "a.py")
    report = grade(pack.load(), answer, seed=0, draw=True)
    assert report.failure is not None
    assert "at most 60 are drawn" in report.failure.no_tape
