from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import fsrs
import pytest

from autodrill.practice.log_records import Rating, Review
from autodrill.practice.recall_rates import LEAST_REVIEWS, Rate, Recall, rate, rates, recalls
from autodrill.practice.schedule import Schedule

START = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def review(card: str, days: float, rating: Rating, number: int = 1) -> Review:
    return Review(number, card, START + timedelta(days=days), rating, {})


def test_recalls_are_those_that_fsrs_predicts() -> None:
    rng = random.Random(20)
    direct = fsrs.Scheduler(learning_steps=[], relearning_steps=[], enable_fuzzing=False)
    for _ in range(200):
        at, log = 0.0, []
        for number in range(12):
            at += rng.choice([0.1, 1.5, 4.0, 40.0]) * rng.random()
            log.append(review(rng.choice("ab"), at, Rating(rng.randrange(1, 5)), number))
        cards: dict[str, fsrs.Card] = {}
        expected = []
        for each in log:
            before = cards.get(each.card, fsrs.Card(card_id=1))
            if before.last_review is not None and (each.at - before.last_review).days >= 1:
                expected.append((each.card, direct.get_card_retrievability(before, each.at), int(each.rating) > 1))
            cards[each.card], _ = direct.review_card(before, fsrs.Rating(int(each.rating)), each.at)
        found = recalls(log, Schedule(log))
        assert [(r.card, r.recalled) for r in found] == [(card, good) for card, _, good in expected]
        assert [r.predicted for r in found] == pytest.approx([share for _, share, _ in expected], abs=1e-12)


def test_recalls_leave_out_the_first_and_same_day_reviews() -> None:
    log = [review("q:a", 0, Rating.GOOD), review("q:a", 0.9, Rating.AGAIN), review("q:a", 3, Rating.HARD)]
    assert [r.recalled for r in recalls(log, Schedule(log))] == [True]


def test_recall_of_a_clock_that_was_ahead_is_dated_now() -> None:
    log = [review("q:a", 0, Rating.GOOD), review("q:a", 4000, Rating.GOOD)]
    (late,) = recalls(log, Schedule(log, START + timedelta(days=2)))
    (right,) = recalls(log, Schedule([log[0], review("q:a", 2, Rating.GOOD)]))
    assert late.predicted == right.predicted


def test_rates_of_a_log_counted_by_hand() -> None:
    found = [Recall("q:a", 0.9, recalled=n != 0) for n in range(10)] + [Recall("q:b", 0.8, recalled=False)] * 9
    found += [Recall("q:c", 0.5, recalled=n % 2 == 0) for n in range(20)] + [Recall("q:gone", 0.1, recalled=True)]
    by_topic = rates(found, {"q:a": "graph", "q:b": "kinks", "q:c": "modes"})
    assert [(r.topic, r.reviews, r.recalled, r.observed) for r in by_topic] == [
        ("modes", 20, 10, 0.5),
        ("graph", 10, 9, 0.9),
        ("kinks", 9, 0, None),
    ]
    assert by_topic[1].predicted == pytest.approx(0.9)
    assert by_topic[2].predicted is None
    assert rate(found).expected == pytest.approx(9 + 7.2 + 10 + 0.1)


def test_share_needs_enough_reviews() -> None:
    assert Rate("graph", LEAST_REVIEWS - 1, 3, 4.0).observed is None
    few, enough = (Rate("graph", n, 5, 6.0).as_json() for n in (LEAST_REVIEWS - 1, LEAST_REVIEWS))
    assert (few["observed_recall"], few["predicted_recall"], few["recalled"]) == (None, None, 5)
    assert (enough["observed_recall"], enough["predicted_recall"]) == (0.5, 0.6)
