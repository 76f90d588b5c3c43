from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.practice.log_records import Rating, State
from autodrill.practice.progress import Progress, log_attempt, log_giving_up, next_exercise, progress

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
    ("stages", "rating"), [((), Rating.GOOD), ((1,), Rating.GOOD), ((1, 2), Rating.HARD), ((3,), Rating.HARD)]
)
def test_second_hint_makes_a_pass_hard(store: Store, day: Day, stages: tuple[int, ...], rating: Rating) -> None:
    for stage in stages:
        store.add_hint("mul", stage, day(0))
    store.add_hint("other", 3, day(0))
    attempt(store, "pass", day(0.1))
    (review,) = store.reviews()
    assert (review.rating, review.detail) == (rating, {"hints": max(stages, default=0)})


def test_hints_before_the_last_review_do_not_count(store: Store, day: Day) -> None:
    store.add_hint("mul", 3, day(0))
    due = attempt(store, "pass", day(0.1))
    assert due is not None
    attempt(store, "pass", due)
    assert [r.rating for r in store.reviews()] == [Rating.HARD, Rating.GOOD]


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
