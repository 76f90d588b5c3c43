"""What the learner's log is made of: frozen records of reviews, attempts and hints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = ["Attempt", "HintTaken", "PlacementTaken", "Rating", "Review", "exercise_card", "question_card"]


class Rating(IntEnum):
    """How well something was remembered, with the numbers and names of FSRS."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def word(self) -> str:
        """The rating's name as it is shown."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Review:
    """One rating of one card.

    Attributes:
        id: Its number in the log.
        card: What was rated, as `question_card` or `exercise_card` spells it.
        at: When, in UTC.
        rating: How well it went.
        detail: Whatever else is worth keeping, as JSON values.
    """

    id: int
    card: str
    at: datetime
    rating: Rating
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One graded run of the learner's code.

    Attributes:
        id: Its number in the log.
        exercise: The exercise's id.
        at: When, in UTC.
        verdict: What the grader said, by its own name.
        seed: The seed of the cases, where there were any.
        source_hash: The SHA-256 of the source, in hexadecimal digits.
        source: The learner's file as it was.
    """

    id: int
    exercise: str
    at: datetime
    verdict: str
    seed: int | None
    source_hash: str
    source: str


@dataclass(frozen=True, slots=True)
class HintTaken:
    """One stage of an exercise's hints, shown to the learner at `at` (UTC)."""

    id: int
    exercise: str
    at: datetime
    stage: int


@dataclass(frozen=True, slots=True)
class PlacementTaken:
    """What a placement found out.

    Attributes:
        id: Its number in the log.
        at: When, in UTC.
        excused: The questions that need not be asked as new.
        unknown: Those found not known, whatever an earlier placement said.
        reviews: The numbers of the reviews it gave, which go when it is undone.
        detail: The whole of it, as JSON values.
    """

    id: int
    at: datetime
    excused: frozenset[str]
    unknown: frozenset[str]
    reviews: tuple[int, ...]
    detail: Mapping[str, Any]


def question_card(identity: str) -> str:
    """Return the card key of a question, such as `q:why-topological-order`."""
    return f"q:{identity}"


def exercise_card(identity: str) -> str:
    """Return the card key of an exercise, such as `x:mul_backward`."""
    return f"x:{identity}"
