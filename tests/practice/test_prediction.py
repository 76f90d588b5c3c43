from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.bank.judge import Outcome
from autodrill.practice.history import entries
from autodrill.practice.log_records import Rating
from autodrill.practice.memory_model import LOWEST_WEIGHTS
from autodrill.practice.prediction import Predicted, due_prediction, judge_shape, log_prediction
from autodrill.practice.schedule import WEIGHTS, Schedule, schedule_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from autodrill.bank.judge import Judgement
    from autodrill.practice.store import Store

    Day = Callable[[float], datetime]

SHAPES = {"a": (2, 1), "b": (1, 3), "c": (4,)}
RIGHT, LATE = Predicted("shape of da", ("(2, 1)",), right=True), Predicted("da[0]", ("4", "8"), right=True)
SHOWN = Predicted("da[0]", ("4",), right=False)


def judged(typed: str, want: tuple[int, ...] = (2, 1), of: str = "a") -> Judgement:
    return judge_shape(typed, want, f"d{of}", of, SHAPES, upstream=(2, 3))


@pytest.mark.parametrize(
    "typed", ["(2, 1)", "2,1", "2 1", "[2,1]", "2x1", "2 × 1", " (2,1,) ", "da = (2,1)", "a.shape"]
)
def test_shape_is_accepted_in_every_spelling(typed: str) -> None:
    assert judged(typed).outcome is Outcome.RIGHT


@pytest.mark.parametrize("typed", ["()", "scalar", "a number", "0-d", "[]"])
def test_shape_of_a_number_is_accepted(typed: str) -> None:
    assert judged(typed, ()).outcome is Outcome.RIGHT
    assert judged("(1,)", ()).outcome is Outcome.WRONG


@pytest.mark.parametrize("typed", ["", "x", "(2, 1", "2,,1", "-2, 1", "2.5", "zz.shape", "99999"])
def test_shape_that_cannot_be_read_is_asked_again(typed: str) -> None:
    judgement = judged(typed)
    accepted = typed == "(2, 1"  # a missing bracket leaves no doubt
    assert judgement.outcome is (Outcome.RIGHT if accepted else Outcome.UNREADABLE)


@pytest.mark.parametrize(
    ("typed", "want", "fault"),
    [
        ("2, 3", (2, 1), "is the shape of the upstream gradient; which axes of a did the forward copy or sum?"),
        ("1, 3", (2, 1), "is the shape of b"),
        ("1, 2", (2, 1), "it is transposed"),
        ("2", (2, 1), "has too few axes of size 1"),
        ("2, 1, 1", (2, 1), "has too many axes of size 1"),
        ("5", (2, 2), "has too few axes"),
        ("7, 7", (2, 1), "a gradient has the shape of its input a"),
    ],
)
def test_wrong_shape_is_explained(typed: str, want: tuple[int, ...], fault: str) -> None:
    judgement = judged(typed, want)
    assert judgement.outcome is Outcome.WRONG
    assert fault in judgement.remark


@pytest.mark.parametrize(
    ("answers", "rating"),
    [([RIGHT, RIGHT], Rating.GOOD), ([RIGHT, LATE], Rating.HARD), ([LATE, SHOWN, RIGHT], Rating.AGAIN)],
)
def test_worst_answer_rates_the_prediction(store: Store, day: Day, answers: list[Predicted], rating: Rating) -> None:
    due = log_prediction(store, "mul", answers, 12.34, day(0))
    (review,) = store.reviews("p:mul")
    state = Schedule([review]).state("p:mul")
    assert state is not None
    assert (review.rating, review.detail["seconds"], due) == (rating, 12.3, state.due)


def test_history_shows_what_was_predicted(store: Store, day: Day) -> None:
    log_prediction(store, "mul", [RIGHT, LATE, SHOWN], 3, day(0))
    (entry,) = entries(store.reviews(), [], "mul")
    assert [(text, right) for _, text, right in entry.typed] == [
        ("(2, 1)", True),
        ("4", False),
        ("8", True),
        ("4", False),
    ]


def test_due_prediction_is_the_one_due_longest(store: Store, day: Day) -> None:
    for n, name in enumerate(("gone", "mul", "add")):
        log_prediction(store, name, [RIGHT], 1, day(n / 10))
    store.add_review("q:mul", Rating.GOOD, day(0))
    assert due_prediction(store, ["add", "mul"], day(0.5)) is None
    assert due_prediction(store, ["add", "mul"], day(99)) == "mul"


def test_prediction_is_scheduled_with_the_fitted_weights(store: Store, day: Day) -> None:
    default = log_prediction(store, "mul", [RIGHT], 1, day(0))
    store.set(WEIGHTS, list(LOWEST_WEIGHTS), day(0))
    fitted = log_prediction(store, "add", [RIGHT], 1, day(0))
    assert fitted < default
    state = schedule_of(store, day(0)).state("p:add")
    assert state is not None
    assert fitted == state.due
