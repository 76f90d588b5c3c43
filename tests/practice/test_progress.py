from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating, State
from autodrill.practice.progress import (
    Progress,
    best_rating,
    log_attempt,
    log_giving_up,
    may_see_solution,
    next_exercise,
    progress,
    rate_again,
    undo_rating,
)
from autodrill.practice.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from autodrill.practice.store import Store

    Day = Callable[[float], datetime]


def attempt(store: Store, verdict: str, when: datetime, name: str = "mul") -> datetime | None:
    return log_attempt(store, name, verdict, "source", 7, when)


def test_exercise_is_new_then_tried_then_passed(store: Store, day: Day) -> None:
    assert progress(store, day(0)).state("mul") is State.NEW
    attempt(store, "fail", day(0))
    assert progress(store, day(0)).state("mul") is State.TRIED
    attempt(store, "pass", day(0))
    assert progress(store, day(0)).state("mul") is State.PASSED


def test_failure_after_a_pass_changes_nothing(store: Store, day: Day) -> None:
    attempt(store, "pass", day(0))
    attempt(store, "fail", day(0.1))
    assert progress(store, day(0.2)).state("mul") is State.PASSED


def test_passed_exercise_is_due_when_announced(store: Store, day: Day) -> None:
    due = attempt(store, "pass", day(0))
    assert due is not None
    assert due > day(0.5)
    known = progress(store, due)
    assert known.due["mul"] == due
    assert known.state("mul") is State.DUE


def test_pass_by_a_clock_ahead_is_due_again(store: Store, day: Day) -> None:
    attempt(store, "pass", day(365))
    assert progress(store, day(1)).state("mul") is State.DUE
    due = attempt(store, "pass", day(1))
    assert due is not None
    assert day(1) < due < day(30)


def test_failed_attempt_is_no_review(store: Store, day: Day) -> None:
    for verdict in ("fail", "error", "timeout"):
        assert attempt(store, verdict, day(0)) is None
    assert store.reviews() == []
    assert [a.verdict for a in store.attempts("mul")] == ["fail", "error", "timeout"]


def test_pass_before_the_due_time_is_no_review(store: Store, day: Day) -> None:
    first = attempt(store, "pass", day(0))
    assert attempt(store, "pass", day(0.1)) == first
    assert len(store.reviews()) == 1
    assert len(store.attempts()) == 2


def test_pass_when_due_lengthens_the_interval(store: Store, day: Day) -> None:
    first = attempt(store, "pass", day(0))
    assert first is not None
    second = attempt(store, "pass", first)
    assert second is not None
    assert second - first > first - day(0)
    assert [r.rating for r in store.reviews()] == [Rating.GOOD, Rating.GOOD]


@pytest.mark.parametrize(
    ("stages", "rating"), [((), Rating.GOOD), ((1,), Rating.GOOD), ((1, 2), Rating.HARD), ((3,), Rating.AGAIN)]
)
def test_hints_cap_the_rating_of_a_pass(store: Store, day: Day, stages: tuple[int, ...], rating: Rating) -> None:
    for stage in stages:
        store.add_hint("mul", stage, day(0))
    store.add_hint("other", 3, day(0))
    attempt(store, "pass", day(0.1))
    (review,) = store.reviews()
    assert (review.rating, review.detail) == (rating, {"hints": max(stages, default=0), "wrong": 0})


def test_hints_before_the_last_review_do_not_count(store: Store, day: Day) -> None:
    store.add_hint("mul", 3, day(0))
    due = attempt(store, "pass", day(0.1))
    assert due is not None
    attempt(store, "pass", due)
    assert [r.rating for r in store.reviews()] == [Rating.AGAIN, Rating.GOOD]


def test_giving_up_rates_again_without_a_pass(store: Store, day: Day) -> None:
    log_giving_up(store, "mul", day(0))
    (review,) = store.reviews()
    assert (review.card, review.rating) == ("x:mul", Rating.AGAIN)
    assert progress(store, day(30)).state("mul") is State.NEW


def test_pass_soon_after_giving_up_is_no_review(store: Store, day: Day) -> None:
    log_giving_up(store, "mul", day(0))
    due = attempt(store, "pass", day(0.01))
    assert due is not None
    assert day(0.01) < due <= day(2)
    assert len(store.reviews()) == 1


def test_progress_leaves_questions_out(store: Store, day: Day) -> None:
    store.add_review("q:mul", Rating.GOOD, day(0))
    assert progress(store, day(0)) == Progress({}, {})


def test_next_exercise_is_the_longest_overdue(day: Day) -> None:
    names = ["a", "b", "c", "d"]
    states = {"a": State.PASSED, "b": State.DUE, "c": State.DUE, "d": State.TRIED}
    known = Progress(states, {"a": day(9), "b": day(2), "c": day(1)})
    assert next_exercise(names, known) == "c"
    assert next_exercise(names, Progress({**states, "b": State.PASSED, "c": State.PASSED}, known.due)) == "d"
    assert next_exercise(["a"], known) is None
    assert next_exercise(["e", "d"], Progress({"d": State.TRIED}, {})) == "e"


def test_old_answer_that_passes_is_no_review(store: Store, day: Day) -> None:
    due = attempt(store, "pass", day(0))
    assert due is not None
    late = due + (due - day(0))
    old = log_attempt(store, "mul", "pass", "source", 7, late, saved=day(0))
    assert (old, len(store.reviews())) == (due, 1)
    fresh = log_attempt(store, "mul", "pass", "source", 7, late, saved=late)
    assert fresh is not None
    assert (fresh > late, len(store.reviews())) == (True, 2)


def test_first_pass_of_an_old_file_is_a_review(store: Store, day: Day) -> None:
    log_giving_up(store, "mul", day(0))
    log_attempt(store, "mul", "pass", "source", 7, day(30), saved=day(0))
    assert len(store.reviews()) == 2


@pytest.mark.parametrize(
    ("sources", "hours", "rating"),
    [("abcde", 1, Rating.HARD), ("abcd", 1, Rating.GOOD), ("aaaaa", 1, Rating.GOOD), ("abcde", 20, Rating.GOOD)],
)
def test_five_wrong_answers_make_a_pass_hard(
    store: Store, day: Day, sources: str, hours: float, rating: Rating
) -> None:
    for source in sources:
        log_attempt(store, "mul", "fail", source, 7, day(0))
        log_attempt(store, "mul", "error", f"{source}{source}", 7, day(0))
    attempt(store, "pass", day(hours / 24))
    assert store.reviews()[-1].rating is rating


def test_wrong_answers_before_the_last_review_do_not_count(store: Store, day: Day) -> None:
    for source in "abcde":
        log_attempt(store, "mul", "fail", source, 7, day(0))
    log_giving_up(store, "mul", day(0.01))
    log_attempt(store, "mul", "pass", "right", 7, day(0.1))  # before the review is due: no rating
    assert [r.rating for r in store.reviews()] == [Rating.AGAIN]


def test_rating_changes_as_if_it_had_been_given(store: Store, day: Day) -> None:
    attempt(store, "pass", day(0))
    store.add_review("q:other", Rating.GOOD, day(1))
    (given, other) = store.reviews()
    changed = rate_again(store, given, Rating.EASY, day(2))
    assert store.reviews() == [other, changed]
    assert (changed.at, changed.rating, changed.detail["hints"]) == (day(0), Rating.EASY, 0)
    at_first = Schedule([changed]).states()
    assert Schedule(store.reviews("x:mul")).states() == at_first


def test_undo_of_a_changed_rating_restores_the_first(store: Store, day: Day) -> None:
    attempt(store, "pass", day(0))
    for rating in (Rating.EASY, Rating.HARD):
        rate_again(store, store.reviews()[-1], rating, day(1))
    undone, again = undo_rating(store, day(2)) or (None, None)
    assert undone is not None
    assert again is not None
    assert (undone.rating, again.rating, again.detail) == (Rating.HARD, Rating.GOOD, {"hints": 0, "wrong": 0})
    assert store.reviews() == [again]
    assert undo_rating(store, day(2)) == (again, None)
    assert undo_rating(store, day(2)) is None


@pytest.mark.parametrize(
    ("detail", "best"),
    [
        ({}, Rating.EASY),
        ({"hints": 1}, Rating.EASY),
        ({"hints": 2}, Rating.HARD),
        ({"hints": 3}, Rating.AGAIN),
        ({"gave_up": True}, Rating.AGAIN),
    ],
)
def test_help_limits_the_best_rating(detail: dict[str, object], best: Rating) -> None:
    assert best_rating(detail) is best


def test_solution_is_closed_again_when_due(store: Store, day: Day) -> None:
    assert not may_see_solution(store, "mul", day(0))
    due = attempt(store, "pass", day(0))
    assert due is not None
    assert may_see_solution(store, "mul", day(0.1))
    assert not may_see_solution(store, "mul", due)
    log_giving_up(store, "mul", due)
    assert may_see_solution(store, "mul", due)
