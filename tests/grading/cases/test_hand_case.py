from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.bank.judge import Outcome
from autodrill.drills.exercise import kind_named, kind_names
from autodrill.grading.cases.hand_case import hand_case, no_hand_case, number_text
from autodrill.grading.oracle.expected import expected_results
from autodrill.practice.prediction import questions_of
from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.hand_case import HandCase
    from tests.conftest import Pack

WITHOUT_CASE = {
    "bce_backward": "small integers are no probabilities, except 0 and 1",
    "multiclass_hinge_backward": "small integers meet the margin, where there is no slope",
}
SHAPES_ONLY = {
    "distillation_kl_backward": "a difference of two softmaxes is 0 or not short",
    "kto_loss_backward": "a sigmoid times its complement is not short",
    "load_balancing_loss_backward": "it is 0 for equal logits, and not short for others",
    "sinkhorn_backward": "it is 0 for one row, and not short for more",
}
LARGER = {"moe_dispatch_combine_backward": 39, "qk_norm_backward": 48}
"""Exercises with so many arrays that the smallest useful case has more than 36 numbers."""
PREDICTABLE = sorted(
    n for n in SHIPPED.paths.keys() - WITHOUT_CASE.keys() if not no_hand_case(SHIPPED.drill(SHIPPED.find(n)))
)
STEP = 1e-5


def worked(name: str, seed: int) -> tuple[Drill, HandCase]:
    drill = SHIPPED.drill(SHIPPED.find(name))
    found = hand_case(drill, seed)
    assert found is not None
    return drill, found


def by_differences(drill: Drill, found: HandCase) -> float:
    """The asked value by central differences of the forward alone, without the engine's gradient."""
    solution, case = drill.solution, found.case
    expected = expected_results(drill, case)
    start = dict(zip((part.name for part in expected.parts), expected.start, strict=False)).get(found.asked, 0.0)
    inputs = {name: np.asarray(value, dtype=np.asarray(value).dtype) for name, value in case.inputs.items()}

    def outputs(moved: dict[str, Any]) -> list[np.ndarray[Any, Any]]:
        assert solution.forward is not None
        made = solution.forward(*moved.values(), **case.static)
        return [np.array(o, dtype=float) for o in (made if isinstance(made, tuple) else (made,))]

    def shifted(moves: dict[str, np.ndarray[Any, Any]], sign: float) -> list[np.ndarray[Any, Any]]:
        return outputs({n: v + sign * STEP * moves[n] if n in moves else v for n, v in inputs.items()})

    if not drill.kind.takes_cotangents:
        floating = [n for n, v in inputs.items() if v.dtype.kind == "f"]
        moves = dict(zip(floating, expected.cotangents, strict=True))
        (up,), (down,) = shifted(moves, 1), shifted(moves, -1)
        return float(((up - down) / (2 * STEP))[found.place])
    of = next(of for name, of, _ in found.gradients if name == found.asked)
    move = np.zeros(inputs[of].shape)
    move[found.place] = 1.0
    pairs = zip(expected.cotangents, shifted({of: move}, 1), shifted({of: move}, -1), strict=True)
    return start + float(sum(np.sum(g * (up - down)) for g, up, down in pairs)) / (2 * STEP)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", PREDICTABLE)
def test_hand_case_asks_a_short_value_that_is_right(name: str, seed: int) -> None:
    drill, found = worked(name, seed)
    if name in SHAPES_ONLY and not found.asked:
        assert found.asks_shapes
        return
    assert found.asked
    assert found.value not in {0.0, found.given.get(found.asked)}
    assert len(number_text(found.value).lstrip("-")) <= 5
    assert found.value == pytest.approx(by_differences(drill, found), rel=2e-4, abs=1e-6)


@pytest.mark.parametrize("name", PREDICTABLE)
def test_hand_case_fits_a_head_and_accepts_its_own_answers(name: str) -> None:
    _, found = worked(name, 0)
    assert sum(np.size(value) for value in found.given.values()) <= LARGER.get(name, 36)
    assert max(np.ndim(value) for value in found.given.values()) <= 4
    shapes = {of: gradient.shape for _, of, gradient in found.gradients if of}
    assert shapes == {name: found.shapes[name] for name in shapes}
    for question in questions_of(found):
        assert question.judge(question.answer).outcome is Outcome.RIGHT


def test_hand_case_of_another_seed_is_another() -> None:
    given = [str(worked("mul_broadcast_backward", seed)[1].given) for seed in (0, 0, 1, 2)]
    assert given[0] == given[1]
    assert len(set(given)) == 3


def test_hand_case_knows_what_a_wrong_value_would_be() -> None:
    _, found = worked("mul_broadcast_backward", 0)
    (g, a, b), row = (found.given[name] for name in "gab"), found.place[0]
    assert found.asked == "da"
    assert a.shape[1] == 1
    assert found.value == float(np.sum(g[row] * b))
    assert found.confusions[f"da[{row}, 0] without the upstream gradient"] == float(np.sum(b))
    terms = [number for words, number in found.confusions.items() if words.startswith("term ")]
    assert set(terms) <= set((g[row] * b).ravel())


def test_hand_case_of_a_node_knows_the_contribution() -> None:
    _, found = worked("mul_backward", 0)
    other, start, g = (found.given[name] for name in ("other.data", "self.grad", "out.grad"))
    assert found.asked == "self.grad"
    assert found.value == start + other * g
    assert found.confusions["the new contribution alone"] == other * g
    assert found.confusions["self.grad without the upstream gradient"] == start + other


def test_kind_says_why_there_is_no_hand_case() -> None:
    without = {name for name in kind_names() if kind_named(name).no_prediction}
    assert without == {"program", "bugfix", "kernel"}
    assert no_hand_case(SHIPPED.drill(SHIPPED.find("adamw_step"))) == "its answer is not a gradient"
    assert no_hand_case(SHIPPED.drill(SHIPPED.find("reinforce_backward"))) == "its answer is random"


def test_hand_case_of_values_that_are_never_short_asks_the_shape(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * np.sqrt(2.0)"))
    found = hand_case(pack.load(), 0)
    assert found is not None
    assert (found.asked, [question.label for question in questions_of(found)]) == ("", ["shape of dx"])


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (-0.25, "-0.25"), (2 / 3, "2/3"), (1 / 7, "1/7"), (0.999995, "1"), (2**0.5, ""), (np.inf, "")],
)
def test_number_is_written_as_a_person_writes_it(value: float, text: str) -> None:
    assert number_text(value) == text
