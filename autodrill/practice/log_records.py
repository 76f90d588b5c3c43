"""The learner's log: its records, and the schema of its tables as a list of migrations.

A published migration is never edited; changes append a new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = [
    "APPLICATION_ID",
    "MIGRATIONS",
    "Attempt",
    "CardKind",
    "HintTaken",
    "PlacementTaken",
    "Rating",
    "Review",
    "State",
    "exercise_card",
    "kind_of",
    "prediction_card",
    "question_card",
]


class State(StrEnum):
    """The state of an exercise for a learner."""

    NEW = "new"
    TRIED = "tried"
    PASSED = "passed"
    DUE = "due"
    """Passed before, and due for review."""


class Rating(IntEnum):
    """How well the learner remembered, with the numbers and names of FSRS."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def word(self) -> str:
        """The rating's name on the screen."""
        return self.name.capitalize()


@dataclass(frozen=True, slots=True)
class Review:
    """One rating of one card.

    Attributes:
        id: Its number in the log.
        card: The key of the card, from `question_card`, `exercise_card` or `prediction_card`.
        at: The time, in UTC.
        rating: The rating.
        detail: Further facts, as JSON values.
    """

    id: int
    card: str
    at: datetime
    rating: Rating
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One graded submission of the learner.

    Attributes:
        id: Its number in the log.
        exercise: The exercise's id.
        at: The time, in UTC.
        verdict: The name of the grader's verdict.
        seed: The seed of the cases, or None.
        source_hash: The SHA-256 of the source, in hexadecimal digits.
        source: The text of the submission.
        detail: Further facts, as JSON values: `fault`, the kind of fault, `rule`, the key of
            the broken rule, and `because`, what the code does wrong.
    """

    id: int
    exercise: str
    at: datetime
    verdict: str
    seed: int | None
    source_hash: str
    source: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HintTaken:
    """One stage of an exercise's hints, shown to the learner at `at` (UTC)."""

    id: int
    exercise: str
    at: datetime
    stage: int


@dataclass(frozen=True, slots=True)
class PlacementTaken:
    """The result of a placement.

    Attributes:
        id: Its number in the log.
        at: The time, in UTC.
        excused: The questions that are no longer asked as new.
        unknown: The questions found not known. They override an earlier placement.
        reviews: The log numbers of its reviews, which are undone with it.
        detail: The whole result, as JSON values.
    """

    id: int
    at: datetime
    excused: frozenset[str]
    unknown: frozenset[str]
    reviews: tuple[int, ...]
    detail: Mapping[str, Any]


class CardKind(StrEnum):
    """What a card asks for. The values are the words that a list shows."""

    QUESTION = "question"
    EXERCISE = "exercise"
    PREDICTION = "prediction"


def kind_of(card: str) -> CardKind:
    """Return the kind of a card, which the beginning of its key gives."""
    return {"x": CardKind.EXERCISE, "p": CardKind.PREDICTION}.get(card.partition(":")[0], CardKind.QUESTION)


def question_card(identity: str) -> str:
    """Return the card key of a question, such as `q:why-topological-order`."""
    return f"q:{identity}"


def exercise_card(identity: str) -> str:
    """Return the card key of an exercise, such as `x:mul_backward`."""
    return f"x:{identity}"


def prediction_card(identity: str) -> str:
    """Return the card key of the prediction of an exercise's gradients, such as `p:mul_backward`."""
    return f"p:{identity}"


APPLICATION_ID = 0x41445249
"""The SQLite application id of an autodrill history: `ADRI` in ASCII."""

_LOGS = (
    """CREATE TABLE reviews (
        id INTEGER PRIMARY KEY,
        card TEXT NOT NULL CHECK (card <> ''),
        at TEXT NOT NULL,
        rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 4),
        detail TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX reviews_of_card ON reviews (card)",
    """CREATE TABLE undone (
        review INTEGER PRIMARY KEY REFERENCES reviews (id),
        at TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        exercise TEXT NOT NULL CHECK (exercise <> ''),
        at TEXT NOT NULL,
        verdict TEXT NOT NULL,
        seed TEXT,
        source_hash TEXT NOT NULL,
        source TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX attempts_at_exercise ON attempts (exercise)",
    """CREATE TABLE hints (
        id INTEGER PRIMARY KEY,
        exercise TEXT NOT NULL CHECK (exercise <> ''),
        at TEXT NOT NULL,
        stage INTEGER NOT NULL CHECK (stage >= 1)
    ) STRICT""",
)

_COURSE = (
    """CREATE TABLE paths (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        path TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE placements (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        detail TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE placements_undone (
        placement INTEGER PRIMARY KEY REFERENCES placements (id),
        at TEXT NOT NULL
    ) STRICT""",
)

_FACTS = (
    "ALTER TABLE attempts ADD COLUMN detail TEXT NOT NULL DEFAULT '{}'",
    """CREATE TABLE settings (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL
    ) STRICT""",
)

_INTERVIEWS = (
    """CREATE TABLE interviews (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        plan TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE interview_events (
        id INTEGER PRIMARY KEY,
        interview INTEGER NOT NULL REFERENCES interviews (id),
        at TEXT NOT NULL,
        spent REAL NOT NULL CHECK (spent >= 0),
        kind TEXT NOT NULL CHECK (kind <> ''),
        step INTEGER,
        detail TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX events_of_interview ON interview_events (interview)",
)


def _append_only(*tables: str) -> tuple[str, ...]:
    """Return triggers that reject every UPDATE and DELETE, whatever program writes to the file."""
    return tuple(
        f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        for table in tables
        for event in ("UPDATE", "DELETE")
    )


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (*_LOGS, *_append_only("reviews", "undone", "attempts", "hints")),
    (*_COURSE, *_append_only("paths", "placements", "placements_undone")),
    (*_FACTS, *_append_only("settings")),
    (*_INTERVIEWS, *_append_only("interviews", "interview_events")),
)
"""The statements from format n to format n + 1. The file's `user_version` counts the migrations applied."""
