from __future__ import annotations

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import fsrs
import pytest

from autodrill.practice.log_records import Rating, Review
from autodrill.practice.memory_model import DEFAULT_WEIGHTS, HIGHEST_WEIGHTS, LOWEST_WEIGHTS
from autodrill.practice.progress import log_attempt, log_giving_up
from autodrill.practice.schedule import Schedule, schedule_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.practice.store import Store

    Day = Callable[[float], datetime]

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def random_history(rng: random.Random) -> list[Review]:
    """Ratings of up to three cards, at intervals between minutes and months."""
    at = START
    history = []
    for number in range(rng.randrange(1, 13)):
        at += timedelta(days=rng.choice([0.01, 0.5, 1.0, 3.0, 40.0]) * rng.random())
        history.append(Review(number, rng.choice("abc"), at, Rating(rng.randrange(1, 5)), {}))
    return history


def test_weights_and_bounds_are_those_of_fsrs() -> None:
    theirs = fsrs.scheduler
    assert (theirs.DEFAULT_PARAMETERS, theirs.LOWER_BOUNDS_PARAMETERS, theirs.UPPER_BOUNDS_PARAMETERS) == (
        (DEFAULT_WEIGHTS, LOWEST_WEIGHTS, HIGHEST_WEIGHTS)
    )


def test_schedule_agrees_with_fsrs_on_a_thousand_histories() -> None:
    rng = random.Random(20261121)
    for number in range(1000):
        # Every second history has the weights of another learner.
        own = [
            rng.uniform(0.8 * d, min(1.2 * d, high)) for d, high in zip(DEFAULT_WEIGHTS, HIGHEST_WEIGHTS, strict=True)
        ]
        weights = [max(low, w) for low, w in zip(LOWEST_WEIGHTS, own, strict=True)] if number % 2 else None
        direct = fsrs.Scheduler(weights or DEFAULT_WEIGHTS, 0.9, [], [], enable_fuzzing=False)
        history = random_history(rng)
        schedule = Schedule(history, weights=weights)
        for name in {review.card for review in history}:
            card = fsrs.Card(card_id=1)
            for review in history:
                if review.card == name:
                    card, _ = direct.review_card(card, fsrs.Rating(int(review.rating)), review.at)
            state = schedule.state(name)
            assert state is not None
            assert card.stability is not None
            assert card.difficulty is not None
            # The same arithmetic in the same order: only the last bits may differ.
            assert state.stability == pytest.approx(card.stability, rel=1e-12)
            assert state.difficulty == pytest.approx(card.difficulty, rel=1e-12)
            assert (state.due, state.last_review) == (card.due, card.last_review)


def test_intervals_are_whole_days(day: Day) -> None:
    for rating in Rating:
        wait = Schedule([Review(1, "a", day(0), rating, {})]).due(day(999))[0].due - day(0)
        assert wait >= timedelta(days=1)
        assert wait % timedelta(days=1) == timedelta(0)


def test_due_cards_come_longest_overdue_first(day: Day) -> None:
    schedule = Schedule([Review(1, "b", day(1), Rating.AGAIN, {}), Review(2, "a", day(0), Rating.AGAIN, {})])
    assert [state.card for state in schedule.due(day(1) - timedelta(microseconds=1))] == []
    assert [state.card for state in schedule.due(day(1))] == ["a"]
    assert [state.card for state in schedule.due(day(5))] == ["a", "b"]


def test_preview_agrees_with_the_next_schedule(day: Day) -> None:
    history = [Review(1, "a", day(0), Rating.GOOD, {})]
    for rating in Rating:
        schedule = Schedule(history)
        promised = schedule.intervals("a", day(3))[rating]
        assert schedule.add(Review(2, "a", day(3), rating, {})).due == day(3) + promised


def test_preview_changes_nothing(day: Day) -> None:
    schedule = Schedule([Review(1, "a", day(0), Rating.GOOD, {})])
    before = schedule.state("a")
    schedule.intervals("a", day(3))
    schedule.intervals("new", day(3))
    assert (schedule.state("a"), schedule.state("new"), len(schedule.states())) == (before, None, 1)


def test_better_rating_never_shortens_the_interval(day: Day) -> None:
    waits = Schedule([Review(1, "a", day(0), Rating.GOOD, {})]).intervals("a", day(2))
    assert sorted(waits, key=lambda rating: (waits[rating], rating)) == list(Rating)


def test_first_rating_is_no_lapse(day: Day) -> None:
    ratings = [Rating.AGAIN, Rating.GOOD, Rating.AGAIN, Rating.AGAIN]
    state = Schedule(Review(i, "a", day(i), rating, {}) for i, rating in enumerate(ratings)).state("a")
    assert state is not None
    assert (state.reviews, state.lapses) == (4, 2)


def test_undone_rating_leaves_no_trace(store: Store, day: Day) -> None:
    store.add_review("q:a", Rating.GOOD, day(0))
    before = Schedule(store.reviews()).states()
    store.add_review("q:a", Rating.AGAIN, day(3))
    store.undo_review(day(3))
    assert Schedule(store.reviews()).states() == before


def test_clock_may_go_backwards(day: Day) -> None:
    state = Schedule([Review(1, "a", day(5), Rating.GOOD, {}), Review(2, "a", day(0), Rating.GOOD, {})]).state("a")
    assert state is not None
    assert state.due >= day(1)


def test_schedule_needs_neither_fsrs_nor_numpy() -> None:
    program = (
        "import sys; from datetime import UTC, datetime; from autodrill.practice.log_records import Review, Rating\n"
        "from autodrill.practice.schedule import Schedule\n"
        "Schedule([Review(1, 'a', datetime.now(UTC), Rating.GOOD, {})])\n"
        "print(sorted({'fsrs', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_review_by_a_clock_ahead_leaves_its_card_due(day: Day) -> None:
    log = [Review(1, "a", day(0), Rating.GOOD, {}), Review(2, "a", day(365), Rating.GOOD, {})]
    schedule = Schedule(log, day(11))
    assert [state.card for state in schedule.due(day(11))] == ["a"]
    log.append(Review(3, "a", day(11), Rating.GOOD, {}))
    state = Schedule(log, day(12)).state("a")
    assert state is not None
    assert day(12) < state.due < day(71)
    assert Schedule(log, day(30)).state("a") == state


def test_review_by_a_clock_ahead_takes_the_next_time(day: Day) -> None:
    log = [Review(1, "a", day(400), Rating.GOOD, {}), Review(2, "b", day(3), Rating.GOOD, {})]
    first, later = (Schedule(log, day(now)).state("a") for now in (5, 50))
    assert first == later
    assert first is not None
    assert (first.last_review, first.due) == (day(3), day(3))


def test_small_clock_error_changes_nothing(day: Day) -> None:
    log = [Review(1, "a", day(1), Rating.GOOD, {})]
    assert Schedule(log, day(0.5)).states() == Schedule(log).states()


def test_exercises_are_scheduled_as_fsrs_does(store: Store, day: Day) -> None:
    rng = random.Random(7)
    store._connection.execute("PRAGMA synchronous = OFF")
    direct = fsrs.Scheduler(learning_steps=[], relearning_steps=[], enable_fuzzing=False)
    for number in range(150):
        name, at, card = f"x{number}", 0.0, None
        for _ in range(rng.randrange(1, 6)):
            at += rng.choice([0.01, 1.0, 9.0]) * rng.random()
            stage = rng.randrange(4)
            if gives_up := rng.random() < 0.2:
                log_giving_up(store, name, day(at))
            else:
                if stage:
                    store.add_hint(name, stage, day(at))
                at += 0.001
                log_attempt(store, name, "pass", "source", 1, day(at))
            # What the rules say: giving up always counts, a pass only if the card is new or due.
            if gives_up or card is None or card.due <= day(at):
                expected = fsrs.Rating.Again if gives_up else EXPECTED[stage_since(store, name, card)]
                card, _ = direct.review_card(card or fsrs.Card(card_id=1), expected, day(at))
        assert card is not None
        state = schedule_of(store, day(at), store.reviews(f"x:{name}")).state(f"x:{name}")
        assert state is not None
        assert (state.due, state.last_review) == (card.due, card.last_review)
        assert state.stability == pytest.approx(card.stability, rel=1e-12)


EXPECTED = [fsrs.Rating.Good, fsrs.Rating.Good, fsrs.Rating.Hard, fsrs.Rating.Again]
"""The rating of a pass after so many hints."""


def stage_since(store: Store, name: str, card: fsrs.Card | None) -> int:
    """The highest stage of the hints taken since the last review."""
    last = card.last_review if card else None
    return max((hint.stage for hint in store.hints(name) if last is None or hint.at > last), default=0)
