from __future__ import annotations

from datetime import UTC, datetime

from autodrill.bank.curriculum import LearningPath, Stage, Step
from autodrill.practice.log_records import Rating, Review
from autodrill.practice.path_progress import standing

EXERCISE = Step("mul_backward", is_exercise=True)
PATH = LearningPath("p", "P", (Stage("one", (Step("a"), EXERCISE)), Stage("two", (Step("b"), Step("c")))))


def rated(*pairs: tuple[str, Rating]) -> list[Review]:
    at = datetime(2026, 11, 21, tzinfo=UTC)
    return [Review(i, card, at, rating, {}) for i, (card, rating) in enumerate(pairs)]


def test_question_is_done_after_a_rating_above_again() -> None:
    assert standing(PATH, rated(("q:a", Rating.AGAIN), ("q:a", Rating.HARD)), (), ()).done == {Step("a")}
    assert standing(PATH, rated(("q:a", Rating.GOOD), ("q:a", Rating.AGAIN)), (), ()).done == set()


def test_exercise_is_done_when_passed() -> None:
    assert standing(PATH, [], {"mul_backward"}, ()).done == set()
    assert standing(PATH, [], (), {"mul_backward", "a"}).done == {EXERCISE}


def test_excused_question_is_done_until_rated_again() -> None:
    assert standing(PATH, [], {"a", "z"}, ()).done == {Step("a")}
    assert standing(PATH, rated(("q:a", Rating.AGAIN)), {"a"}, ()).done == set()


def test_stage_is_that_of_the_first_step_left() -> None:
    reached = standing(PATH, [], {"a", "c"}, {"mul_backward"})
    assert (reached.stage, reached.left) == (PATH.stages[1], (Step("b"),))
    assert reached.minutes_left({Step("b"): 2.5}) == 2.5
    assert standing(PATH, [], {"a", "b", "c"}, {"mul_backward"}).stage is None
