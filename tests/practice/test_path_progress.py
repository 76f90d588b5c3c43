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


def test_a_question_is_done_once_its_last_rating_is_better_than_again() -> None:
    assert standing(PATH, rated(("q:a", Rating.AGAIN), ("q:a", Rating.HARD)), (), ()).done == {Step("a")}
    assert standing(PATH, rated(("q:a", Rating.GOOD), ("q:a", Rating.AGAIN)), (), ()).done == set()


def test_an_exercise_is_done_once_it_is_passed_and_not_by_a_question_of_its_name() -> None:
    assert standing(PATH, [], {"mul_backward"}, ()).done == set()
    assert standing(PATH, [], (), {"mul_backward", "a"}).done == {EXERCISE}


def test_what_was_tested_out_of_is_done_until_a_rating_says_otherwise() -> None:
    assert standing(PATH, [], {"a", "z"}, ()).done == {Step("a")}
    assert standing(PATH, rated(("q:a", Rating.AGAIN)), {"a"}, ()).done == set()


def test_the_stage_is_that_of_the_first_step_left() -> None:
    reached = standing(PATH, [], {"a", "c"}, {"mul_backward"})
    assert (reached.stage, reached.left) == (PATH.stages[1], (Step("b"),))
    assert reached.minutes_left({Step("b"): 2.5}) == 2.5
    assert standing(PATH, [], {"a", "b", "c"}, {"mul_backward"}).stage is None
