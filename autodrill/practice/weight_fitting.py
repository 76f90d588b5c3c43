"""Fitting the weights of FSRS-6 to a learner's own log, with gradients from autodrill's own backward.

The loss is the negative log likelihood of what the learner remembered, over the reviews on a later day than the one
before, as in the optimiser of `fsrs`. Each weight has a prior around its default. The weights are fitted to the first
three quarters of the log, and tested on the last quarter, which is the future of the former.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the reviews of a step are an array

from autodrill import engine
from autodrill.practice import memory_model as model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from autodrill.practice.log_records import Review

__all__ = ["LEAST_DAYS", "LEAST_LAPSES", "LEAST_REVIEWS", "Fit", "Sequences", "fit", "loss", "sequences"]

LEAST_REVIEWS = 400
"""Scored reviews needed: about twenty for each of the 21 weights. `fsrs` starts at 512 reviews of any kind."""
LEAST_DAYS = 30
"""Days of practice needed: within less, no interval is long enough to show how memory decays."""
LEAST_LAPSES = 40
"""Forgotten cards needed: the loss learns most from them, and about ten fall into the quarter that tests."""
_TRAINED = 0.75
_STEPS, _RATE = 80, 0.06
_SPREAD = 0.5
"""The standard deviation of the prior of a weight, as a share of its default."""


@dataclass(frozen=True)
class Sequences:
    """The reviews of all cards in step: the first review of each card, the second of those that have one, and so on.

    Attributes:
        ratings: For each step, the ratings of the cards that have it; the cards with most reviews come first.
        days: For each step, the whole days since the last review.
        trained: For each step, whether a review is in the part of the log that the weights are fitted to.
    """

    ratings: list[np.ndarray]
    days: list[np.ndarray]
    trained: list[np.ndarray]

    def scored(self, *, trained: bool | None = None) -> int:
        """Count the reviews on a later day, of one part of the log or of both."""
        parts = zip(self.days[1:], self.trained[1:], strict=True)
        return sum(int(np.sum((d >= 1) & (True if trained is None else t == trained))) for d, t in parts)

    @property
    def lapses(self) -> int:
        """How many of the scored reviews are Again."""
        return sum(int(np.sum((d >= 1) & (r == 1))) for d, r in zip(self.days[1:], self.ratings[1:], strict=True))


@dataclass(frozen=True, slots=True)
class Fit:
    """The result of fitting.

    Attributes:
        weights: The fitted weights.
        before: The mean loss of the default weights on the last quarter of the log.
        after: The mean loss of the fitted weights there.
        tested: How many reviews that quarter has.
    """

    weights: tuple[float, ...]
    before: float
    after: float
    tested: int

    @property
    def better(self) -> bool:
        """Whether the fitted weights predict better what they were not fitted to."""
        return self.after < self.before


def sequences(reviews: Iterable[Review]) -> Sequences:
    """Arrange the reviews of a log by card."""
    log = list(reviews)
    cards: dict[str, list[tuple[int, int, bool]]] = {}
    last: dict[str, Any] = {}
    for place, review in enumerate(log):
        days = (review.at - last.get(review.card, review.at)).days
        cards.setdefault(review.card, []).append((int(review.rating), max(days, 0), place < _TRAINED * len(log)))
        last[review.card] = review.at
    ordered = sorted(cards.values(), key=len, reverse=True)
    steps = range(len(ordered[0]) if ordered else 0)
    columns = [[card[step] for card in ordered if len(card) > step] for step in steps]
    ratings, days, trained = ([np.array([row[i] for row in column]) for column in columns] for i in range(3))
    return Sequences(ratings, days, trained)


def loss(weights: Any, log: Sequences, *, trained: bool | None = None) -> Any:
    """Return the sum of the losses of the scored reviews.

    Args:
        weights: A tensor of the 21 weights.
        log: The reviews.
        trained: Which part of the log to score; both by default. Every review before it shapes the memory all the same.
    """
    total = engine.sum(weights * 0.0)
    first = log.ratings[0]
    stability = engine.maximum(weights[first - 1], model.LEAST_STABILITY)
    difficulty = _clamped(model.first_difficulty(first, weights))
    for rating, days, part in zip(log.ratings[1:], log.days[1:], log.trained[1:], strict=True):
        stability, difficulty = stability[: len(rating)], difficulty[: len(rating)]
        recall = model.retrievability(stability, days, weights)
        scored = (days >= 1) & (True if trained is None else part == trained)
        likelihood = engine.where(rating > 1, recall, 1.0 - recall)
        total = total - engine.sum(engine.log(engine.where(scored, engine.maximum(likelihood, 1e-12), 1.0)))
        stability = _after(stability, difficulty, recall, rating, days, weights)
        difficulty = _clamped(model.next_difficulty(difficulty, rating, weights))
    return total


def _after(stability: Any, difficulty: Any, recall: Any, rating: Any, days: Any, weights: Any) -> Any:
    growth = model.after_same_day(stability, rating, weights)
    same_day = stability * engine.where(rating > 1, engine.maximum(growth, 1.0), growth)
    forgotten = engine.minimum(*model.forgotten(stability, difficulty, recall, weights))
    hard = engine.where(rating == 2, weights[15], 1.0)
    easy = engine.where(rating == 4, weights[16], 1.0)
    recalled = model.recalled(stability, difficulty, recall, hard, easy, weights)
    later = engine.where(rating > 1, recalled, forgotten)
    return engine.maximum(engine.where(days < 1, same_day, later), model.LEAST_STABILITY)


def _clamped(difficulty: Any) -> Any:
    return engine.minimum(engine.maximum(difficulty, 1.0), 10.0)


def fit(log: Sequences) -> Fit:
    """Fit the weights to the first part of a log with Adam, and test them on the rest."""
    default = np.array(model.DEFAULT_WEIGHTS)
    spread = _SPREAD * default
    count = max(log.scored(trained=True), 1)
    weights, mean, square = default.copy(), np.zeros(21), np.zeros(21)
    for step in range(1, _STEPS + 1):
        at = engine.Tensor(weights, requires_grad=True)
        objective = loss(at, log, trained=True) + engine.sum(engine.square((at - default) / spread)) / 2
        objective.backward()
        assert at.grad is not None
        gradient = at.grad.numpy() / count * spread
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        move = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.clip(weights - _RATE * spread * move, model.LOWEST_WEIGHTS, model.HIGHEST_WEIGHTS)
    tested = log.scored(trained=False)
    before, after = (_mean_loss(w, log, tested) for w in (default, weights))
    return Fit(tuple(float(w) for w in weights), before, after, tested)


def _mean_loss(weights: Sequence[float] | np.ndarray, log: Sequences, count: int) -> float:
    return float(loss(engine.Tensor(np.array(weights)), log, trained=False).numpy()) / max(count, 1)
