"""FSRS-6, the model of memory behind the schedule: the forgetting curve, and how a review changes a memory.

The formulas are those of the package `fsrs` 6.3, which is the oracle of their tests. They are written here because the
schedule needs no more than these, and because `weight_fitting` differentiates the same formulas with autodrill's
engine: the arguments are floats or tensors of the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e
from typing import TYPE_CHECKING, Any

from autodrill.practice.log_records import Rating

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "DEFAULT_WEIGHTS",
    "HIGHEST_WEIGHTS",
    "LEAST_STABILITY",
    "LOWEST_WEIGHTS",
    "Memory",
    "after_same_day",
    "days_until",
    "first_difficulty",
    "forgotten",
    "next_difficulty",
    "recalled",
    "retrievability",
    "reviewed",
]

DEFAULT_WEIGHTS = (
    *(0.212, 1.2931, 2.3065, 8.2956),
    *(6.4133, 0.8334, 3.0194, 0.001),
    *(1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483),
    *(0.6014, 1.8729),
    *(0.5425, 0.0912, 0.0658),
    0.1542,
)
"""The weights fitted to many learners: first stabilities, difficulty, recall, forgetting, hard and easy, same day,
decay."""

LOWEST_WEIGHTS = (
    *(0.001, 0.001, 0.001, 0.001),
    *(1.0, 0.001, 0.001, 0.001),
    *(0.0, 0.0, 0.001),
    *(0.001, 0.001, 0.001, 0.0),
    *(0.0, 1.0),
    *(0.0, 0.0, 0.0),
    0.1,
)
HIGHEST_WEIGHTS = (
    *(100.0, 100.0, 100.0, 100.0),
    *(10.0, 4.0, 4.0, 0.75),
    *(4.5, 0.8, 3.5),
    *(5.0, 0.25, 0.9, 4.0),
    *(1.0, 6.0),
    *(2.0, 2.0, 0.8),
    0.8,
)

LEAST_STABILITY = 0.001
_LONGEST = 36500
_RETENTION = 0.9
"""The probability of recall at which a card is due."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The state of a memory.

    Attributes:
        stability: Days until the probability of recall falls to 90 %.
        difficulty: From 1 to 10.
    """

    stability: float
    difficulty: float


def reviewed(memory: Memory | None, rating: Rating, days: int, weights: Sequence[float]) -> Memory:
    """Return the memory after a review.

    Args:
        memory: The memory before it; None for a first review.
        rating: The rating.
        days: Whole days since the last review.
        weights: The 21 weights.
    """
    if memory is None:
        first = min(max(first_difficulty(rating, weights), 1.0), 10.0)
        return Memory(max(weights[rating - 1], LEAST_STABILITY), first)
    stability, difficulty = memory.stability, memory.difficulty
    if days < 1:
        growth = after_same_day(stability, rating, weights)
        stability *= growth if rating is Rating.AGAIN else max(growth, 1.0)
    else:
        recall = retrievability(stability, days, weights)
        if rating is Rating.AGAIN:
            stability = min(*forgotten(stability, difficulty, recall, weights))
        else:
            hard = weights[15] if rating is Rating.HARD else 1.0
            easy = weights[16] if rating is Rating.EASY else 1.0
            stability = recalled(stability, difficulty, recall, hard, easy, weights)
    after = min(max(next_difficulty(difficulty, rating, weights), 1.0), 10.0)
    return Memory(max(stability, LEAST_STABILITY), after)


def days_until(stability: float, weights: Sequence[float]) -> int:
    """Return after how many whole days the probability of recall falls to 90 %, at least 1."""
    decay = -weights[20]
    factor = 0.9 ** (1 / decay) - 1
    days: int = round(stability / factor * (_RETENTION ** (1 / decay) - 1))
    return min(max(days, 1), _LONGEST)


# Formulas, of floats or tensors


def retrievability(stability: Any, days: Any, weights: Any) -> Any:
    """Return the probability of recall after some days."""
    decay = -weights[20]
    return (1 + (0.9 ** (1 / decay) - 1) * days / stability) ** decay


def first_difficulty(rating: Any, weights: Any) -> Any:
    """Return the difficulty after a first review, before it is clamped to 1 ... 10."""
    return weights[4] - e ** (weights[5] * (rating - 1)) + 1


def next_difficulty(difficulty: Any, rating: Any, weights: Any) -> Any:
    """Return the difficulty after a later review, before it is clamped: damped near 10, and drawn towards Easy's."""
    damped = (10.0 - difficulty) * -(weights[6] * (rating - 3)) / 9.0
    return weights[7] * first_difficulty(Rating.EASY, weights) + (1 - weights[7]) * (difficulty + damped)


def after_same_day(stability: Any, rating: Any, weights: Any) -> Any:
    """Return the factor of the stability for a review on the day of the last one. A recall never lowers stability."""
    return e ** (weights[17] * (rating - 3 + weights[18])) * stability ** -weights[19]


def recalled(stability: Any, difficulty: Any, recall: Any, hard: Any, easy: Any, weights: Any) -> Any:
    """Return the stability after a recall on a later day; `hard` and `easy` are weights of the rating, or 1."""
    return stability * (
        1
        + e ** weights[8]
        * (11 - difficulty)
        * stability ** -weights[9]
        * (e ** ((1 - recall) * weights[10]) - 1)
        * hard
        * easy
    )


def forgotten(stability: Any, difficulty: Any, recall: Any, weights: Any) -> tuple[Any, Any]:
    """Return two bounds of the stability after Again on a later day; the smaller one holds."""
    relearned = (
        weights[11]
        * difficulty ** -weights[12]
        * ((stability + 1) ** weights[13] - 1)
        * e ** ((1 - recall) * weights[14])
    )
    return relearned, stability / e ** (weights[17] * weights[18])
