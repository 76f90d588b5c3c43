from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from autodrill.practice.agenda import LIMITS, agenda, daily_limits, streak
from autodrill.practice.log_records import Rating
from autodrill.practice.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.practice.store import Store

    Day = Callable[[float], datetime]

CARDS = ["q:a", "q:b", "x:c"]


def filled(store: Store, day: Day) -> None:
    """Log ratings of three cards, of which `x:c` is due first."""
    store.add_review("q:a", Rating.EASY, day(0))
    store.add_review("q:b", Rating.GOOD, day(0))
    store.add_review("x:c", Rating.AGAIN, day(0))


def test_agenda_mixes_questions_and_exercises_by_due_date(store: Store, day: Day) -> None:
    filled(store, day)
    found = agenda(store, day(3), CARDS)
    assert [state.card for state in found.due] == ["x:c", "q:b"]
    assert [(date, [s.card for s in states]) for date, states in found.later.items()] == [
        (Schedule(store.reviews()).states()[0].due.date(), ["q:a"])
    ]


def test_agenda_leaves_out_cards_that_are_gone(store: Store, day: Day) -> None:
    filled(store, day)
    assert [state.card for state in agenda(store, day(3), ["q:b"]).due] == ["q:b"]


def test_daily_limit_puts_off_the_least_overdue(store: Store, day: Day) -> None:
    filled(store, day)
    store.set(LIMITS, {"reviews": 1}, day(0))
    found = agenda(store, day(3), CARDS)
    assert [[s.card for s in states] for states in (found.due, found.above)] == [["x:c"], ["q:b"]]
    store.add_review("x:c", Rating.GOOD, day(3))
    found = agenda(store, day(3), CARDS)
    assert [[s.card for s in states] for states in (found.due, found.above)] == [[], ["q:b"]]
    assert [s.card for s in agenda(store, day(4), CARDS).due] == ["q:b"]


def test_limits_count_from_midnight_of_the_local_time(store: Store, day: Day) -> None:
    store.set(LIMITS, {"reviews": 5, "new": 2}, day(0))
    store.add_review("q:a", Rating.GOOD, day(0))
    store.add_review("q:a", Rating.GOOD, day(3))
    store.add_review("q:b", Rating.GOOD, day(3))
    near = (day(3) + timedelta(hours=10)).astimezone(timezone(timedelta(hours=1)))
    limits = daily_limits(store, near, store.reviews())
    assert (limits.reviews_left, limits.new_left) == (4, 1)
    far = near.astimezone(timezone(timedelta(hours=9)))  # there it is the next day
    limits = daily_limits(store, far, store.reviews())
    assert (limits.reviews_left, limits.new_left) == (5, 2)


def test_streak_may_end_yesterday(day: Day) -> None:
    practised = [day(0), day(2), day(3), day(3.1)]
    assert [streak(practised, day(at)) for at in (3, 4, 5)] == [(3, 2), (3, 2), (3, 0)]
    assert streak([], day(0)) == (0, 0)
