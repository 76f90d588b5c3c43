"""The fit of the weights against three oracles: the package fsrs, finite differences, and planted weights."""

from __future__ import annotations

import heapq
import math
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import fsrs
import numpy as np
import pytest

from autodrill import engine
from autodrill.practice import memory_model as model
from autodrill.practice.log_records import Rating, Review
from autodrill.practice.weight_fitting import fit, loss, sequences

if TYPE_CHECKING:
    from collections.abc import Sequence

START = datetime(2026, 1, 1, tzinfo=UTC)
PLANTED = (0.1, 0.5, 0.9, 3.0, *model.DEFAULT_WEIGHTS[4:8], 1.3, *model.DEFAULT_WEIGHTS[9:20], 0.3)


def random_log(cards: int, seed: int) -> list[Review]:
    """Ratings of some cards at intervals between minutes and months."""
    rng = random.Random(seed)
    log: list[Review] = []
    for card in range(cards):
        at = START
        for _ in range(rng.randrange(1, 9)):
            log.append(Review(len(log), f"q:{card}", at, Rating(rng.randrange(1, 5)), {}))
            at += timedelta(days=rng.choice([0.01, 0.5, 3.0, 40.0]) * rng.random())
    return log


def simulated(weights: Sequence[float], cards: int, seed: int) -> list[Review]:
    """The log of a learner whose memory has these weights, and who reviews each card when it is due."""
    rng = random.Random(seed)
    waiting = [(START + timedelta(days=60 * rng.random()), f"q:{card}") for card in range(cards)]
    heapq.heapify(waiting)
    memories: dict[str, model.Memory] = {}
    last: dict[str, datetime] = {}
    log: list[Review] = []
    while waiting and waiting[0][0] < START + timedelta(days=120):
        at, card = heapq.heappop(waiting)
        days = (at - last.get(card, at)).days
        known = memories.get(card)
        if known is None:
            rating = Rating(rng.choice([1, 2, 3, 3, 4]))
        else:
            recalled = rng.random() < model.retrievability(known.stability, days, weights)
            rating = Rating(rng.choice([2, 3, 3, 3, 4])) if recalled else Rating.AGAIN
        memories[card], last[card] = model.reviewed(known, rating, days, weights), at
        log.append(Review(len(log), card, at, rating, {}))
        wait = model.days_until(memories[card].stability, model.DEFAULT_WEIGHTS)
        heapq.heappush(waiting, (at + timedelta(days=wait), card))
    return log


def loss_of_fsrs(log: list[Review], weights: Sequence[float]) -> float:
    scheduler = fsrs.Scheduler(weights, 0.9, [], [], enable_fuzzing=False)
    cards: dict[str, fsrs.Card] = {}
    total = 0.0
    for review in log:
        card = cards.get(review.card) or fsrs.Card(card_id=1, due=review.at)
        if card.last_review is not None and (review.at - card.last_review).days > 0:
            recall = scheduler.get_card_retrievability(card, review.at)
            total -= math.log(recall if review.rating > Rating.AGAIN else 1 - recall)
        cards[review.card], _ = scheduler.review_card(card, fsrs.Rating(int(review.rating)), review.at)
    return total


def value(log: list[Review], weights: Sequence[float], *, trained: bool | None = None) -> float:
    return float(loss(engine.Tensor(np.array(weights)), sequences(log), trained=trained).numpy())


@pytest.mark.parametrize("weights", [model.DEFAULT_WEIGHTS, PLANTED], ids=["default", "planted"])
def test_loss_agrees_with_fsrs_on_a_thousand_histories(weights: Sequence[float]) -> None:
    for seed in range(10):
        log = random_log(100, seed)
        assert value(log, weights) == pytest.approx(loss_of_fsrs(log, weights), rel=1e-10)


def test_parts_of_the_log_add_up() -> None:
    log = random_log(60, 3)
    parts = [value(log, PLANTED, trained=trained) for trained in (True, False)]
    assert min(parts) > 0
    assert sum(parts) == pytest.approx(value(log, PLANTED), rel=1e-12)


def test_gradient_agrees_with_finite_differences() -> None:
    log = random_log(80, 5)
    weights = np.array(PLANTED)
    at = engine.Tensor(weights, requires_grad=True)
    loss(at, sequences(log)).backward()
    assert at.grad is not None
    gradient = at.grad.numpy()
    for index in range(21):
        step = np.zeros(21)
        step[index] = 1e-6
        slope = (value(log, weights + step) - value(log, weights - step)) / 2e-6  # type: ignore[arg-type]
        # Central differences of a sum near 500: rounding leaves 1e-13 * 500 / 1e-6.
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-3), index


@pytest.mark.slow
def test_fit_recovers_the_loss_of_planted_weights() -> None:
    log = simulated(PLANTED, 300, 1)
    found = fit(sequences(log))
    assert found.tested > 200
    true = value(log, PLANTED, trained=False) / found.tested
    assert found.better
    assert found.after - true < (found.before - true) / 2
    scheduler = fsrs.Scheduler(found.weights)  # refuses weights out of bounds
    assert scheduler.parameters == found.weights


def test_sequences_count_later_days_and_lapses() -> None:
    days = [0, 0.1, 2, 5, 5.2]
    ratings = [Rating.AGAIN, Rating.AGAIN, Rating.AGAIN, Rating.GOOD, Rating.AGAIN]
    made = [(START + timedelta(days=d), r) for d, r in zip(days, ratings, strict=True)]
    log = [Review(number, "q:a", at, rating, {}) for number, (at, rating) in enumerate(made)]
    log.insert(1, Review(9, "q:b", START, Rating.GOOD, {}))
    found = sequences(log)
    assert [len(step) for step in found.ratings] == [2, 1, 1, 1, 1]
    assert (found.scored(), found.lapses) == (2, 1)
