"""Retention and calibration: the recall observed in reviews, and the recall that FSRS predicted for them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.practice.log_records import Rating

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from autodrill.practice.log_records import Review
    from autodrill.practice.schedule import Schedule

__all__ = ["LEAST_REVIEWS", "Rate", "Recall", "rate", "rates", "recalls"]

LEAST_REVIEWS = 10
"""From fewer reviews no share is given: one card more or less would change it by more than 0.1."""


@dataclass(frozen=True, slots=True)
class Recall:
    """One review that tells whether a card was remembered.

    Attributes:
        card: The card's key.
        predicted: The probability of recall that FSRS predicted for the time of the review.
        recalled: Whether the rating was better than Again.
    """

    card: str
    predicted: float
    recalled: bool


@dataclass(frozen=True, slots=True)
class Rate:
    """The recall of some cards, observed and predicted.

    Attributes:
        topic: The topic of the cards; empty for all cards.
        reviews: The number of reviews counted.
        recalled: The number of reviews in which the card was remembered.
        expected: The number that FSRS predicted: the sum of the predicted probabilities.
    """

    topic: str
    reviews: int
    recalled: int
    expected: float

    @property
    def observed(self) -> float | None:
        """The share of reviews in which the card was remembered; None for fewer than `LEAST_REVIEWS` reviews."""
        return self.recalled / self.reviews if self.reviews >= LEAST_REVIEWS else None

    @property
    def predicted(self) -> float | None:
        """The mean of the predicted probabilities; None for fewer than `LEAST_REVIEWS` reviews."""
        return self.expected / self.reviews if self.reviews >= LEAST_REVIEWS else None

    def as_json(self) -> dict[str, Any]:
        """Return the rate as JSON values."""
        return {
            "topic": self.topic,
            "reviews": self.reviews,
            "recalled": self.recalled,
            "expected": round(self.expected, 4),
            "observed_recall": None if self.observed is None else round(self.observed, 4),
            "predicted_recall": None if self.predicted is None else round(self.predicted, 4),
        }


def recalls(reviews: Sequence[Review], schedule: Schedule) -> list[Recall]:
    """Return what each review tells about memory, in the order of the log.

    The first review of a card tells nothing, and one within a day of the last tells little: FSRS predicts 1 there.

    Args:
        reviews: The log of reviews, in order.
        schedule: The schedule that these reviews give.
    """
    return [
        Recall(review.card, predicted, review.rating is not Rating.AGAIN)
        for review, predicted in zip(reviews, schedule.predictions, strict=True)
        if predicted is not None and predicted < 1
    ]


def rate(found: Iterable[Recall], topic: str = "") -> Rate:
    """Return the recall of all reviews together."""
    counted = list(found)
    return Rate(topic, len(counted), sum(r.recalled for r in counted), sum(r.predicted for r in counted))


def rates(found: Iterable[Recall], topics: Mapping[str, str]) -> list[Rate]:
    """Return the recall by topic: the lowest share first, then the topics with too few reviews for a share.

    Args:
        found: The reviews.
        topics: The topic of each card. Other cards are left out.
    """
    by_topic: defaultdict[str, list[Recall]] = defaultdict(list)
    for each in found:
        if each.card in topics:
            by_topic[topics[each.card]].append(each)
    every = [rate(those, topic) for topic, those in by_topic.items()]
    return sorted(every, key=lambda r: (r.observed is None, r.observed or 0.0, -r.reviews, r.topic))
